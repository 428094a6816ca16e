"""The page of the model file is written from the schemas."""

from pathlib import Path

from agnoboost.files.description import described
from agnoboost.files.kinds import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "model_file.md"
MARK = "<!-- From here on written by: python -m agnoboost.files.description -->\n\n"


def test_the_page_says_what_the_schemas_say():
    assert PAGE.read_text().partition(MARK)[2] == described() + "\n"


def test_every_field_is_explained():
    for kind in KINDS.values():
        facts = kind.module.SCHEMA.facts
        assert facts.meaning.keys() <= facts.fields.keys()
    rows = [line for line in described().splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert [row for row in rows if row.endswith("|  |")] == []
