"""A mutation campaign: small bugs planted one at a time, to see which of them no test notices.

``making`` plants them, ``covering`` knows which tests run a line, ``trial`` runs tests on a mutant, ``campaign`` draws
a sample of mutants and tries them, ``page`` tells the result. ``python -m mutants --help`` says how to run it.
"""
