"""Errors that several rooms raise."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be used: damaged, of another run, or in a place where nothing can be written."""


class RowsLostError(RuntimeError):
    """Whoever kept the rows does not answer any more: a worker was lost, or failed."""
