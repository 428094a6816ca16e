"""Attempts to break the library: damaged files, odd tables, kills, odd surroundings (docs/reliability.md).

`python -m fuzz --seconds 60` runs a campaign. A leg makes cases from numbers: a number gives a recipe, which is JSON,
and a recipe gives an outcome. Cases run in child processes with limits of time and memory.
"""
