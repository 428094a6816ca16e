"""Keepers of rows: they hold bins, weights, labels and margins, and answer the conductor's few, large questions.

``base`` says what is asked; ``plain`` answers in numpy, a few lines that all others are tested against; ``host``
answers in compiled code, on all threads.
"""
