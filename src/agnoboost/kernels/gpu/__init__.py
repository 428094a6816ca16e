"""Array work on a GPU: CUDA C++ (``*.cu``), compiled and called through CuPy, which is an optional extra.

``device`` is all that knows CuPy; what else is here asks it for arrays and launches.
"""
