"""The example of docs/audit.md runs as it stands."""

import re
from pathlib import Path


def test_the_example_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, {})
    said = capsys.readouterr().out
    assert "100 checked labels among 3,800 rows, 95% intervals" in said
    worth = float(re.search(r"^accuracy .* (\d\.\d)$", said, re.MULTILINE).group(1))
    assert worth > 1.2
