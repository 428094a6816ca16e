"""Rounds for stumps on binned features, in whole numbers.

``problem`` says what is covered and turns a booster into arrays; ``engine`` is what all share; ``in_numpy`` runs it in
numpy, a few lines that everything is tested against; ``compiled`` runs it in compiled code, without looking at all rows
in each round (``incremental``) or by looking at them on all cores (``rebuild``); ``sampled`` runs the paper's mode of m
random rows a round.
"""
