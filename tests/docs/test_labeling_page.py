"""The example of docs/labeling.md runs as it stands."""

import re
from pathlib import Path


def test_the_example_runs(capsys):
    page = (Path(__file__).parents[2] / "docs" / "labeling.md").read_text()
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, {})
    said = capsys.readouterr().out
    assert re.search(r"About \d+ of 1\d\d labels look wrong", said)
    assert int(re.search(r"(\d+)% of the first 15 are wrong", said).group(1)) >= 40
    assert 0.0 <= float(re.search(r"errors on the pool: about (\d\.\d+)", said).group(1)) < 0.3
    assert "100 more labels are worth about +." in said
