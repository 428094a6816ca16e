"""The demo: a mail filter from 150 checked mails, scored on mails that nobody has seen.

    python -m agnoboost_experiments.demo --out out

Each seed splits the bundled spambase table anew. First a filter by keywords has labeled the other mails
(``machine``): what the checked labels are worth, what the filter is, and what both are together. One split of that is
trained once more, and leaves a model file and a report. Then the paper's algorithms and their peers make do with labels
of which some are flipped, and with mails without any label (``boosters``).
"""
