"""Votes: Dawid and Skene's model against a reference, and what it finds."""

import numpy as np
import pandas as pd
import pytest

from agnoboost.labels import CrowdVotes, dawid_skene
from agnoboost.labels.crowd import vote_shares


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


def test_votes_of_a_frame_with_names():
    frame = pd.DataFrame({"ann": ["x", "y", None], "bob": ["x", None, None]})
    found = CrowdVotes("majority").read(frame, 3)
    assert found.known.tolist() == [True, True, False]
    assert found.classes.tolist() == ["x", "y"]
