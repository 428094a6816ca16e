"""
How good is this classifier, really?
====================================

Somebody hands you a classifier, any classifier, and a table of new rows. You can have a
hundred rows checked, no more. These alone answer with a wide interval. But something
has an opinion on *every* row: another model, a legacy system, a language model. Taken
for the truth such machine labels give a narrow interval around the wrong number.
:func:`agnoboost.evaluate` uses both: the checked rows correct the machine, and what
remains is narrower and still honest.

How it works, and how often its intervals held in thousands of simulations:
:doc:`/audit`.
"""
# sphinx_gallery_thumbnail_number = 2

# %%
# The classifier, the machine, and the rows to check
# --------------------------------------------------
#
# The classifier to be judged is a logistic regression of 300 mails of the bundled
# *spambase*. The machine is simulated: it stands for a language model that has read the
# mails themselves, lets 12% of the spam pass, and takes 1% of the other mails for spam.
# Neither has seen the labels of the 4,301 mails of the audit: a model or machine that
# has learned from the checked labels is the one thing that no formula can mend.

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import agnoboost as ab

table = ab.datasets.load("spambase")
rng = np.random.default_rng(0)
order = rng.permutation(len(table.y))
X, y = table.X[order], np.where(table.y[order] == 1, "spam", "mail")

classifier = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:300], y[:300])
X, y = X[300:], y[300:]  # new to the classifier
mistaken = rng.random(len(y)) < np.where(y == "spam", 0.12, 0.01)
said = np.where(mistaken, np.where(y == "spam", "mail", "spam"), y)
print(f"the machine is right about {np.mean(said == y):.1%} of the mails")

checked = np.random.default_rng(1).choice(len(y), 100, replace=False)
gold = np.full(len(y), None)
gold[checked] = y[checked]  # somebody looks at a hundred mails

audit = ab.evaluate(classifier, X, gold, machine_labels=said)
print(audit)

# %%
# In this example the truth is known, all 4,301 labels of it. Look at the diamonds,
# which are the true figures: are they inside, and how much narrower are the intervals
# in blue?

import matplotlib.pyplot as plt
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

predicted = classifier.predict(X)
shown = {
    "accuracy": (audit["accuracy"], accuracy_score(y, predicted)),
    "share of spam": (audit["prevalence", "spam"], np.mean(y == "spam")),
    "precision, spam": (
        audit["precision", "spam"],
        precision_score(y, predicted, pos_label="spam"),
    ),
    "recall, spam": (
        audit["recall", "spam"],
        recall_score(y, predicted, pos_label="spam"),
    ),
    "F1, spam": (audit["f1", "spam"], f1_score(y, predicted, pos_label="spam")),
}
figure, panel = plt.subplots(figsize=(9, 3.6), layout="constrained")
for place, (one, truth) in enumerate(shown.values()):
    panel.plot(
        [one.gold_low, one.gold_high],
        [place + 0.16] * 2,
        color="C1",
        linewidth=5,
        solid_capstyle="butt",
    )
    panel.plot(
        [one.low, one.high],
        [place - 0.16] * 2,
        color="C0",
        linewidth=5,
        solid_capstyle="butt",
    )
    panel.plot(truth, place, "D", color="black", markersize=6)
    panel.text(1.005, place, f"worth {one.worth:.1f} x", va="center")
panel.plot([], [], color="C1", linewidth=5, label="100 checked mails alone")
panel.plot([], [], color="C0", linewidth=5, label="with machine labels")
panel.plot([], [], "D", color="black", label="truth, from 4,301 labels")
panel.set_yticks(range(len(shown)), list(shown))
panel.set(xlim=(0.27, 1.0), title="95% intervals")
panel.invert_yaxis()
panel.grid(axis="x")
panel.grid(visible=False, axis="y")
panel.legend(loc="lower left")
plt.show()

# %%
# "Worth 2 x" says: without the machine twice as many mails would have to be checked for
# an interval as narrow.
#
# Three hundred audits
# --------------------
#
# One audit may be lucky. So here are 300, each with its own 1,500 mails, of which 80
# are checked, in three ways: agreement with the machine taken for accuracy; checked
# mails alone; and both. Every fifth is drawn.

from scipy.stats import binomtest

true_accuracy = np.mean(predicted == y)
intervals = {
    "the machine taken for the truth": [],
    "80 checked mails alone": [],
    "both": [],
}
for _ in range(300):
    rows = rng.choice(len(y), 1500, replace=False)
    gold = np.where(np.arange(1500) < 80, y[rows], None)
    found = ab.evaluate_predictions(predicted[rows], gold, machine_labels=said[rows])[
        "accuracy"
    ]
    naive = binomtest(int(np.sum(predicted[rows] == said[rows])), 1500).proportion_ci()
    intervals["the machine taken for the truth"].append((naive.low, naive.high))
    intervals["80 checked mails alone"].append((found.gold_low, found.gold_high))
    intervals["both"].append((found.low, found.high))

figure, panels = plt.subplots(1, 3, figsize=(9, 4.2), sharey=True, layout="constrained")
for panel, (name, found) in zip(panels, intervals.items(), strict=True):
    low, high = np.array(found).T
    holds = (low <= true_accuracy) & (true_accuracy <= high)
    drawn = np.argsort(low[::5] + high[::5]) * 5
    colours = np.where(holds, "#7a8190", "#d55e00")[drawn]
    panel.vlines(np.arange(60), low[drawn], high[drawn], color=colours, linewidth=2)
    panel.axhline(true_accuracy, color="black", linewidth=1)
    panel.set_title(
        f"{name}\n{holds.mean():.0%} hold; mean width {np.mean(high - low):.3f}",
        fontsize=9.5,
    )
    panel.set(xticks=[], xlabel="audits, in order")
panels[0].set_ylabel("accuracy of the classifier, 95% intervals")
plt.show()

# %%
# The left panel is what a dashboard shows that compares one model with another: narrow,
# and wrong. In the middle: right, and wide. On the right: narrower, and right about as
# often as 95% intervals should be. (A machine that errs where the classifier errs, say
# another model of the same columns, is worth less than this one, and a coin nothing;
# neither does harm.)
#
# A bound that is certain
# -----------------------
#
# The intervals above are approximate, though made for few rows. Where a lower bound
# must hold for certain (with 95% confidence), :func:`agnoboost.certify` gives exact
# ones, also on what any single rule could reach: see :doc:`/certificate`.

print(ab.certify(classifier, X[:500], y[:500], X_unlabeled=X[500:]))
