"""The example of docs/machine_labels.md runs as it stands."""

import re
from pathlib import Path


def test_the_example_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "machine_labels.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, {})
    said = capsys.readouterr().out
    assert "machine has labeled 2,000 rows, of which 150 have a checked label as well." in said
    assert "It errs more often where column 52 is above 0" in said
    assert float(re.search(r"checked label: (0\.\d+)", said).group(1)) > 0.85
