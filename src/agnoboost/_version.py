"""The version, where everything can import it from."""

__version__ = "0.1.0"
