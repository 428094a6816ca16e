"""The compiled walk down a tree refuses what numpy refuses."""

import numpy as np
import pytest

from agnoboost.core.learners.tree import CategorySet, Cut, Leaf, Split, Tree


def test_a_table_with_too_few_columns_is_refused_either_way(compile_from):
    tree = Tree(Split(Cut(7, 0.0), Leaf(-1), Leaf(1)))
    for cells in (0, 1e18):
        compile_from(cells)
        with pytest.raises(IndexError):
            tree.predict(np.zeros((3, 2)))


@pytest.mark.parametrize("category", [255.0, -1.0, 1e9])
def test_an_impossible_category_is_refused_either_way(compile_from, category):
    tree = Tree(Split(CategorySet(0, (1, 2)), Leaf(-1), Leaf(1)))
    rows = np.array([[1.0], [3.0], [np.nan]])
    for cells in (0, 1e18):
        compile_from(cells)
        assert tree.predict(rows).tolist() == [1, -1, -1]
    for cells in (0, 1e18):
        compile_from(cells)
        if category == 1e9:
            with pytest.raises(IndexError):
                tree.predict(np.array([[category]]))
        else:  # numpy reads these as the missing category
            assert tree.predict(np.array([[category]])).tolist() == [-1]
