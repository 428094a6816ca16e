"""Votes: Dawid and Skene's model against a reference, and what it finds."""

import numpy as np
import pandas as pd
import pytest

from agnoboost import TableClassifier
from agnoboost.labels import CrowdVotes, dawid_skene
from agnoboost.labels.crowd import vote_shares
from agnoboost.labels.posteriors import without_lean


def reference_dawid_skene(votes, classes, iterations, prior_votes):
    """Sums written out, as in the paper of 1979 (prior_votes=0), or with so many votes before, 70% of them right."""
    more = 1 if prior_votes else 0
    rows, annotators = votes.shape
    T = np.zeros((rows, classes))
    for i in range(rows):
        own = [v for v in votes[i] if v >= 0]
        for k in range(classes):
            T[i, k] = own.count(k) / len(own)
    for _ in range(iterations):
        prior = [(sum(T[i, k] for i in range(rows)) + more) / (rows + classes * more) for k in range(classes)]
        confusion = np.zeros((annotators, classes, classes))
        for a in range(annotators):
            for k in range(classes):
                total = sum(T[i, k] for i in range(rows) if votes[i, a] >= 0)
                for vote in range(classes):
                    hits = sum(T[i, k] for i in range(rows) if votes[i, a] == vote)
                    before = prior_votes * (0.7 if vote == k else 0.3 / (classes - 1))
                    confusion[a, k, vote] = (hits + before) / (total + prior_votes)
        for i in range(rows):
            joint = [
                prior[k] * np.prod([confusion[a, k, votes[i, a]] for a in range(annotators) if votes[i, a] >= 0])
                for k in range(classes)
            ]
            T[i] = np.array(joint) / sum(joint)
    return T, confusion


def crowd(rows=300, classes=3, seed=0, quality=(0.9, 0.7, 0.6, 0.5)):
    rng = np.random.default_rng(seed)
    truth = rng.integers(classes, size=rows)
    votes = np.full((rows, len(quality)), -1)
    for a, right in enumerate(quality):
        wrong = (truth + rng.integers(1, classes, rows)) % classes
        votes[:, a] = np.where(rng.random(rows) < right, truth, wrong)
    votes[rng.random(votes.shape) < 0.2] = -1
    votes[(votes < 0).all(axis=1), 0] = truth[(votes < 0).all(axis=1)]
    return votes, truth


@pytest.mark.parametrize("prior_votes", [0.0, 8.0])
def test_dawid_skene_is_that_of_a_reference(prior_votes):
    votes, _ = crowd(rows=60)
    for iterations in (1, 2, 7):
        expected, _ = reference_dawid_skene(votes, 3, iterations, prior_votes)
        np.testing.assert_allclose(dawid_skene(votes, 3, prior_votes, iterations).posterior, expected, atol=1e-9)


def test_prior_votes_keep_few_votes_from_going_astray():
    """A rare class, 60 rows: the likeliest matrices do worse than counting votes, those with prior votes do not."""
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        truth = (rng.random(60) < 0.12).astype(int)
        votes = np.where(rng.random((60, 3)) < (0.8, 0.8, 0.7), truth[:, None], 1 - truth[:, None])
        ways = [
            dawid_skene(votes, 2, 0.0).posterior,
            dawid_skene(votes, 2).posterior,
            vote_shares(votes, 2),
        ]
        found.append([np.mean((way[:, 1] - truth) ** 2) for way in ways])
    likeliest, ours, shares = np.mean(found, axis=0)
    assert ours < shares < likeliest


def test_dawid_skene_climbs_and_finds_the_annotators():
    votes, truth = crowd(rows=4000)
    found = dawid_skene(votes, 3)
    assert np.all(np.diff(found.objective) > -1e-9)
    np.testing.assert_allclose(
        np.diagonal(found.confusion, axis1=1, axis2=2).mean(axis=1), [0.9, 0.7, 0.6, 0.5], atol=0.05
    )
    majority = vote_shares(votes, 3).argmax(axis=1)
    assert np.mean(found.posterior.argmax(axis=1) == truth) > np.mean(majority == truth) + 0.02


def test_an_annotator_who_says_the_opposite_helps():
    votes, truth = crowd(rows=2000, classes=2, quality=(0.8, 0.8, 0.8, 0.02))
    assert np.mean(dawid_skene(votes, 2).posterior.argmax(axis=1) == truth) > 0.95


def test_annotators_are_described():
    votes, truth = crowd(rows=4000, classes=2, quality=(0.95, 0.8, 0.6, 0.8))
    table = np.where(votes < 0, np.nan, votes.astype(float))
    table = np.column_stack([table, np.full(len(table), np.nan)])
    found = CrowdVotes().read(pd.DataFrame(table, columns=["ann", "ben", "cleo", "dan", "eve"]), len(table)).annotators
    assert [one.name for one in found] == ["ann", "ben", "cleo", "dan", "eve"]
    assert [one.votes for one in found] == [*(votes >= 0).sum(axis=0), 0]
    for one, own in zip(found[:4], votes.T, strict=True):
        assert one.right == pytest.approx(np.mean((own == truth)[own >= 0]), abs=0.04)
        for k in (0, 1):
            assert one.by_class[k] == pytest.approx(np.mean((own == k)[(own >= 0) & (truth == k)]), abs=0.06)
    assert np.isnan(found[4].right)
    assert str(found[0]).startswith(f"ann: {found[0].votes} votes, about 9")
    assert CrowdVotes("majority").read(table, len(table)).annotators[0].name == "0"


def test_a_fit_keeps_what_it_found_of_annotators():
    X = np.random.default_rng(0).normal(size=(60, 2))
    votes = pd.DataFrame({"ann": X[:, 0] > 0, "ben": X[:, 0] > 0.1})
    model = TableClassifier(label_model=CrowdVotes(), effort="fast", random_state=0).fit(X, votes)
    assert [one.name for one in model.annotators_] == ["ann", "ben"]
    assert TableClassifier(effort="fast", random_state=0).fit(X, votes["ann"]).annotators_ == ()


# ---------------------------------------------------------------- taking out the lean of posteriors


@pytest.mark.parametrize("classes", [2, 3])
def test_posteriors_without_lean_are_right_on_average_given_the_class(classes):
    """All votes of three annotators written down, with the true matrices: E[stand-in | class k] is the k-th corner."""
    rng = np.random.default_rng(classes)
    prior = rng.dirichlet(np.full(classes, 3.0))
    confusion = np.array([rng.dirichlet(2 + 4 * np.eye(classes)[k], 3) for k in range(classes)])
    votes = np.array(list(np.ndindex((classes,) * 3)))
    given = np.array([np.prod(confusion[k, np.arange(3), votes], axis=1) for k in range(classes)]).T
    joint = given * prior
    posterior = joint / joint.sum(axis=1, keepdims=True)
    many = np.repeat(posterior, np.round(1e5 * joint.sum(axis=1)).astype(int), axis=0)
    corrected = without_lean(many)
    places = np.cumsum(np.round(1e5 * joint.sum(axis=1)).astype(int)) - 1
    np.testing.assert_allclose(given.T @ corrected[places], np.eye(classes), atol=2e-3)
    assert np.abs(given.T @ posterior - np.eye(classes)).max() > 0.1  # the posterior itself leans
    np.testing.assert_allclose(corrected.sum(axis=1), 1.0)


def test_for_two_classes_it_is_one_line():
    p = np.random.default_rng(0).random(50)
    m1, m0 = np.sum(p**2) / np.sum(p), np.sum(p * (1 - p)) / np.sum(1 - p)
    np.testing.assert_allclose(without_lean(np.column_stack([1 - p, p]))[:, 1], (p - m0) / (m1 - m0))


def test_votes_that_say_nothing_do_not_blow_up():
    flat = np.full((20, 2), 0.5)
    np.testing.assert_allclose(without_lean(flat), flat)
    nearly = np.column_stack([0.5 + 0.001 * np.arange(-10, 10), 0.5 - 0.001 * np.arange(-10, 10)])
    assert np.abs(without_lean(nearly)).max() < 1
    empty = np.column_stack([flat, np.zeros(20)])  # a class without any chance
    np.testing.assert_allclose(without_lean(empty), empty, atol=1e-9)


def test_votes_of_a_frame_with_names():
    frame = pd.DataFrame({"ann": ["x", "y", None], "bob": ["x", None, None]})
    found = CrowdVotes("majority").read(frame, 3)
    assert found.known.tolist() == [True, True, False]
    assert found.classes.tolist() == ["x", "y"]
