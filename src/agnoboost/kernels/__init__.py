"""Array work behind the weak learners and the stump engine.

Plain numpy modules stand here; ``compiled`` holds their numba twins, one module a stage. Nothing imports numba until
there is enough work to pay for loading it: see :mod:`agnoboost.kernels.dispatch`.
"""
