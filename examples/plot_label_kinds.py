"""
Which kind of label do you have?
================================

Labels need not be the names of classes. Somebody may have said how sure they are;
several people may have voted, some of them carelessly; or it may be known that labels
of one class are wrong more often than those of the other. Rounding all that to "yes" or
"no" throws something away. A *label model* says what the labels stand for, and every
classifier of this library takes one.

Each part of this example has the same rows and the same truth, and labels of another
kind. What each label model assumes is written in :doc:`/labels`; chains of them,
private labels and "not this class" in :doc:`/label_algebra`.
"""

# %%
# A world whose probabilities are known
# -------------------------------------
#
# Six columns, of which four matter. Since the probability of "yes" is known for every
# row, the probabilities of a model can be held against the truth, on 4,000 rows that it
# has not seen.

import numpy as np
from scipy.special import expit

from agnoboost import TableClassifier
from agnoboost.labels import CrowdVotes, FlipRates, SoftLabels


def world(rows, rng):
    X = rng.normal(size=(rows, 6))
    chance = expit(
        1.5 * (1.6 * X[:, 0] + 1.2 * X[:, 1] * X[:, 2] + 0.8 * np.abs(X[:, 3]) - 0.6)
    )
    return X, chance, (rng.random(rows) < chance).astype(float)


X_unseen, chance_unseen, y_unseen = world(4000, np.random.default_rng(100))
CARE = np.array([0.95, 0.85, 0.7, 0.6, 0.5])  # how often each of five people is right
WRONG = FlipRates(
    positive=0.4, negative=0.1
)  # 40% of the "yes" and 10% of the "no" are wrong


def three_kinds(chance, truth, rng):
    """How sure somebody is; votes of five people, with gaps; flipped labels."""
    votes = np.where(
        rng.random((len(truth), 5)) < CARE, truth[:, None], 1 - truth[:, None]
    )
    votes[rng.random(votes.shape) < 0.3] = np.nan
    flipped = np.where(
        rng.random(len(truth)) < np.where(truth == 1, 0.4, 0.1), 1 - truth, truth
    )
    return chance, votes, flipped


def majority(votes, rng):
    """One label for each row; a coin decides ties, and where nobody has voted."""
    lead = np.nansum(2 * votes - 1, axis=1)
    return np.where(lead == 0, rng.random(len(votes)) < 0.5, lead > 0).astype(float)


# %%
# Rounded, or read by a label model
# ---------------------------------
#
# 200 labels of each kind, four draws. Beside each label model is what one would write
# into a column of yes and no: the likelier answer, the majority, the label as it is.
# (The one who says how sure they are is a good judge here: they say the true
# probability.) Where flip rates are known, probabilities can also be mended after an
# ordinary fit.

draws = 4
predicted = {}
for draw in range(draws):
    rng = np.random.default_rng(draw)
    X, chance, truth = world(200, rng)
    sure, votes, flipped = three_kinds(chance, truth, rng)
    fits = {
        ("how sure somebody is", "rounded"): (None, (sure > 0.5).astype(float)),
        ("how sure somebody is", "SoftLabels()"): (SoftLabels(), sure),
        ("votes of five people", "majority"): (None, majority(votes, rng)),
        ("votes of five people", "CrowdVotes()"): (CrowdVotes(), votes),
        ("40% and 10% are wrong", "at face value"): (None, flipped),
        ("40% and 10% are wrong", "FlipRates(...)"): (WRONG, flipped),
    }
    for key, (label_model, labels) in fits.items():
        model = TableClassifier(
            effort="fast", label_model=label_model, random_state=0
        ).fit(X, labels)
        predicted.setdefault(key, []).append(model.predict_proba(X_unseen)[:, 1])
        if key[1] == "at face value":
            mended = WRONG.clean(model.predict_proba(X_unseen)[:, 1])
            predicted.setdefault((key[0], "mended afterwards"), []).append(mended)
        if key[1] == "CrowdVotes()":
            people = model.annotators_  # of the last draw

# %%
# Accuracy, and the error of the probabilities (the root of the mean square of "said -
# true"):

print(f"{'':42}accuracy   error of probabilities")
for (kind, way), said in predicted.items():
    accuracy = np.mean((np.array(said) > 0.5) == (y_unseen == 1))
    error = np.sqrt(np.mean((np.array(said) - chance_unseen) ** 2))
    print(f"{kind:<24}{way:<18}{accuracy:8.3f}{error:16.3f}")
best = np.mean(np.maximum(chance_unseen, 1 - chance_unseen))
print(f"nobody can be right more often than {best:.3f}")

# %%
# What to look at
# ---------------
#
# On the dashed line a model that says "70%" is right in 70 of 100 cases. Rounded labels
# make models too sure of themselves; a majority of careless people leans to the middle;
# flips that hit "yes" more often than "no" push all probabilities down, and a label
# model brings them back. The last panel: from votes alone, without any truth, it is
# estimated how careful each of the five people was.

import matplotlib.pyplot as plt

figure, panels = plt.subplots(2, 2, figsize=(9, 7.2), layout="constrained")
bins = np.linspace(0, 1, 9)
kinds = list(dict.fromkeys(kind for kind, _ in predicted))
for panel, kind in zip(panels.flat, kinds, strict=False):
    panel.plot([0, 1], [0, 1], "--", color="0.6", linewidth=1)
    for (other, way), said in predicted.items():
        if other != kind or way == "mended afterwards":
            continue
        said, true = np.concatenate(said), np.tile(chance_unseen, draws)
        place = np.digitize(said, bins[1:-1])
        full = [one for one in range(len(bins) - 1) if np.sum(place == one) > 100]
        by_model = way.endswith(")")
        panel.plot(
            [said[place == one].mean() for one in full],
            [true[place == one].mean() for one in full],
            "o-" if by_model else "s-",
            color="C0" if by_model else "C1",
            label=way,
        )
    panel.set(
        title=kind,
        xlabel="probability that the model says",
        ylabel="true probability",
        aspect="equal",
    )
    panel.legend(loc="upper left")

panel = panels[1, 1]
panel.plot([0.45, 1.05], [0.45, 1.05], "--", color="0.6", linewidth=1)
panel.plot(CARE, [person.right for person in people], "o")
for person, care in zip(people, CARE, strict=True):
    panel.annotate(
        f"person {int(person.name) + 1}",
        (care, person.right),
        (6, -10),
        textcoords="offset points",
    )
panel.set(
    title="the five people, seen from their votes",
    xlabel="really right",
    ylabel="estimated by CrowdVotes()",
)
panel.set(aspect="equal", xlim=(0.45, 1.05), ylim=(0.45, 1.05))
plt.show()

# %%
# Label models are no magic. Of flipped labels they mend the threshold and the
# probabilities, which one can have by ``WRONG.clean`` after an ordinary fit as well;
# the order of the rows is hardly better. And rates that are wrong, people who copy from
# each other, or a judge who is too sure of himself make it worse.
