"""Texts that are written alike have numbers that are alike."""

import numpy as np
import pytest

from agnoboost.tables.encoder import TableEncoder
from agnoboost.tables.readers import text as text_reader
from agnoboost.tables.readers.text import TextColumn

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    words = [["invoice", "payment", "refund", "billing"], ["printer", "keyboard", "monitor", "cable"]]
    return [f"{' '.join(rng.choice(words[row % 2], 3))} number{row}" for row in range(80)]


@pytest.fixture(scope="module")
def encoder(texts):
    return TableEncoder().fit(pd.DataFrame({"text": texts}))


def test_names_and_sources(encoder):
    assert encoder.names[:2] == ["text: text 1", "text: text 2"]
    assert encoder.sources == [0] * 30
    assert encoder.categories == {}


def test_the_numbers_are_those_of_the_decomposition(encoder, texts):
    """By scikit-learn's own vocabulary: but for collisions of hashes it is the same."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    weigh = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4)).fit(texts)
    expected = TruncatedSVD(5, algorithm="arpack", random_state=0).fit(weigh.transform(sorted(texts)))
    found = encoder.transform(pd.DataFrame({"text": texts}))[:, :5]
    np.testing.assert_allclose(np.abs(found), np.abs(expected.transform(weigh.transform(texts))), atol=1e-3)


def test_texts_alike_are_near_each_other(encoder):
    frame = pd.DataFrame({"text": ["refund of the payment", "paymnt refunds", "new keyboard cable"]})
    one, misspelled, other = encoder.transform(frame)
    assert np.linalg.norm(one - misspelled) < 0.5 * np.linalg.norm(one - other)


def test_empty_cells_are_missing_and_rows_do_not_depend_on_each_other(encoder, texts):
    frame = pd.DataFrame({"text": [texts[3], None, "", texts[3]]})
    found = encoder.transform(frame)
    assert np.isnan(found[1]).all()
    np.testing.assert_array_equal(found[2], 0)  # a text without a word
    np.testing.assert_array_equal(found[0], found[3])
    np.testing.assert_array_equal(found[:1], encoder.transform(frame[:1]))


def test_the_order_of_rows_does_not_matter(encoder, texts, monkeypatch):
    assert TableEncoder().fit(pd.DataFrame({"text": texts[::-1]})).readers == encoder.readers
    monkeypatch.setattr(text_reader, "MOST_TEXTS", 40)
    some = [TableEncoder().fit(pd.DataFrame({"text": order})).readers for order in (texts, texts[::-1])]
    assert some[0] == some[1] != encoder.readers


def test_what_was_learned_is_packed(encoder, texts):
    facts, arrays = encoder.pack()
    assert facts == {"0": {"kind": "text"}}
    again = TableEncoder().unpack(facts, arrays, ["text"])
    frame = pd.DataFrame({"text": [*texts, "something new"]})
    np.testing.assert_array_equal(again.transform(frame), encoder.transform(frame))
    own = {name.removeprefix("columns/0/"): array for name, array in arrays.items()}
    for damage in ({"rarity": own["rarity"][1:]}, {"places": own["places"] - 9999}, {"places": own["places"] + 2**18}):
        with pytest.raises(ValueError, match="columns/0/"):
            TextColumn.array_schema.check(own | damage, "columns/0/")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([f"two words{n % 40}" for n in range(80)], "category"),  # half as many as rows, and few
        ([f"two words{n % 41}" for n in range(80)], "text"),
        ([f"two words{n % 300}" for n in range(1200)], "text"),  # too many for categories
        ([f"word{n % 300}" for n in range(1200)], "frequent categories"),
        ([f"https://example.org/shop/article{n}" for n in range(80)], "text"),  # long
        (["a few words"] * 5 + ["some more"], "category"),  # few rows
    ],
)
def test_what_is_text(cells, kind):
    assert TableEncoder().fit(pd.DataFrame({"c": cells})).readers[0].kind == kind
