"""Errors that several rooms raise."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be used: damaged, or of another run."""
