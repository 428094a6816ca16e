"""What is known of every recipe."""

from agnoboost.core.recipes import RECIPES


def test_what_is_known_of_the_recipes():
    """The estimator asks these: what it offers, what it refuses, what it passes on."""

    def those(flag):
        return {name for name, recipe in RECIPES.items() if getattr(recipe, flag)}

    assert those("uses_unlabeled") == {"algorithm1", "algorithm2", "algorithm3"}
    assert those("takes_shift") == {"algorithm3"}
    assert those("uses_labels_once") == {"pab", "gs24"}
    assert those("for_tables") == {"algorithm1", "algorithm2", "algorithm3", "pab", "gs24"}
    by_margin = {"pab", "gs24", "brukhim_2020", "smooth_boost", "madaboost"}  # their potentials depend on y * H
    assert those("needs_hard_labels") == by_margin
    assert those("has_threshold") == set(RECIPES) - (by_margin - {"gs24"})
