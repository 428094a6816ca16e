"""The README's Python runs as it stands."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) >= 2
    names = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out
    accuracy = float(re.search(r"^\d+ (0\.\d+)", printed).group(1))
    assert accuracy > 0.8
    assert "PAB (2009)" in printed


@pytest.mark.parametrize("name", re.findall(r"\]\(([\w./]+)\)", README.read_text()))
def test_links_point_to_files(name):
    assert (README.parent / name).exists()
