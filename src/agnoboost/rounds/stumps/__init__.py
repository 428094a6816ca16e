"""The stump engine: the loop of :mod:`agnoboost.rounds.boosting` for stumps on binned features, in whole numbers.

``problem`` says what the engine covers and turns a booster into arrays; ``reference`` runs it in numpy, a few lines
that everything is tested against; ``full_batch`` runs it in compiled code, without looking at all rows in each round;
``sampled`` runs the paper's mode of m random rows a round; ``many`` fits batches of models that share their bins.
"""
