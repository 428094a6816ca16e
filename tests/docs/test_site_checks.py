"""What built pages are held to, and links that leave docs: tried on pages made for it."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx")
import checked_pages
import outside_pages
import plain_index
import shared_tables

ROOT = Path(__file__).parents[2]


def found(tmp_path, **pages):
    for name, body in pages.items():
        (tmp_path / f"{name}.html").write_text(f"<html><body>{body}</body></html>")
    return list(checked_pages.problems(tmp_path))


def test_pages_that_are_right(tmp_path):
    (tmp_path / "style.css").write_text("body { background: url('picture.png') }")
    (tmp_path / "picture.png").write_bytes(b"")
    one = '<link href="style.css"><img src="picture.png"><h1 id="top">A</h1><a href="two.html#there"><a href="#top">'
    two = '<p id="there"></p><a href="https://anywhere.example">links may lead there</a><a href="mailto:a@b.c">'
    assert found(tmp_path, one=one, two=two) == []


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<script src="https://cdn.example/a.js"></script>', "fetches https://cdn.example/a.js"),
        ('<link rel="stylesheet" href="//fonts.example/f.css">', "fetches //fonts.example/f.css"),
        ("<style>@import url('http://x.example/f.css')</style>", "fetches http://x.example/f.css"),
        ('<img src="gone.png">', "shows gone.png, which is not there"),
        ('<a href="gone.html">', "links to gone.html, which is not there"),
        ('<a href="#gone">', "links to #gone: that page has no such place"),
        ('<a href="one.html#gone">', "links to one.html#gone: that page has no such place"),
    ],
)
def test_pages_that_are_wrong(tmp_path, body, problem):
    assert found(tmp_path, one=body) == [f"one.html {problem}"]


def test_a_style_that_fetches_a_font(tmp_path):
    (tmp_path / "a.css").write_text("@font-face { src: url(https://fonts.example/a.woff2) }")
    assert found(tmp_path) == ["a.css fetches https://fonts.example/a.woff2"]


def test_links_that_leave_the_docs_become_pages_of_the_site_or_files_that_it_hands_out():
    text = "[a](../SECURITY.md) [b](../benchmarks/results/rl.json) [c](audit.md#how) [d](https://x.example) [e](#here)"
    said = outside_pages.rewritten(text, ROOT / "docs")
    assert said == (
        "[a](/development/security.md) [b](/../benchmarks/results/rl.json) [c](/audit.md#how) "
        "[d](https://x.example) [e](#here)"
    )
    assert outside_pages.rewritten("[a](docs/audit.md)", ROOT) == "[a](/audit.md)"


def test_a_table_is_shown_on_a_second_page():
    shown = shared_tables.table("table_classifier.md", "fit, seconds")
    assert shown.startswith("| fit, seconds")
    assert "| LightGBM |" in shown
    with pytest.raises(ValueError, match="has no table with 'nothing of the kind'"):
        shared_tables.table("table_classifier.md", "nothing of the kind")


def test_every_page_that_stands_for_a_file_of_the_repository_includes_it():
    for file, page in outside_pages.PAGES.items():
        text = (ROOT / "docs" / page).read_text()
        assert page == "index.md" or f"{{include}} ../../{file}" in text, page
    results = {path.name for path in (ROOT / "benchmarks" / "results").glob("*.md")}
    assert results == {path.name for path in (ROOT / "docs" / "results").glob("*.md")}


def test_the_page_of_benchmarks_names_every_script_every_study_and_every_result():
    from agnoboost_experiments import EXPERIMENTS

    page = (ROOT / "docs" / "benchmarks" / "index.md").read_text()
    helpers = {"contenders", "record", "column_tables"}
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - helpers
    assert scripts == set(re.findall(r"python benchmarks/(\w+)\.py", page))
    assert {study.name for study in EXPERIMENTS} == set(re.findall(r"agnoboost reproduce ([\w-]+)", page))
    results = {path.name for path in (ROOT / "benchmarks" / "results").glob("*.json")}
    assert results == set(re.findall(r"benchmarks/results/([\w-]+\.json)", page))


def test_the_plain_index_has_a_line_for_every_page():
    below = {"index": ["guide/index"], "guide/index": ["guide/one", "api/generated/agnoboost.load"]}
    pages = SimpleNamespace(config=SimpleNamespace(root_doc="index"), toctree_includes=below, titles={})
    lines = list(plain_index.lines(pages, lambda name: f"{name}.md.txt"))
    assert "- [guide/one](guide/one.html) ([text](_sources/guide/one.md.txt))" in lines
    assert not any("generated" in line for line in lines)
