"""Every block of the site's own pages runs, and prints what the page shows."""

import re

import pytest

pytest.importorskip("typer")
pytest.importorskip("pandas")
pytest.importorskip("matplotlib").use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from site_pages import DOCS, agree, has_files, pages, run  # noqa: E402

NEEDED = {"onnxruntime", "xgboost", "lightgbm", "gymnasium", "polars"}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_runs_and_shows_what_it_prints(page, tmp_path, monkeypatch):
    text = page.read_text()
    for package in NEEDED & set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    for _, shown, printed in run(text, has_files(page)):
        assert agree(shown, printed), f"the page shows\n{shown}\nand this was printed:\n{printed}"
    plt.close("all")


def test_a_page_that_shows_something_else_is_seen():
    page = "```python\nprint('3 rows')\n```\n\n```text\n{}\n```\n"
    assert [agree(shown, printed) for _, shown, printed in run(page.format("3 rows"))] == [True]
    assert [agree(shown, printed) for _, shown, printed in run(page.format("7 rows"))] == [False]
    assert [agree(shown, printed) for _, shown, printed in run(page.format("3 columns"))] == [False]
