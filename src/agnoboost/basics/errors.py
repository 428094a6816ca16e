"""Errors that several rooms raise."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be used: damaged, of another run, or in a place where nothing can be written."""
