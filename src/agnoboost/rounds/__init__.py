"""How rounds are run."""
