"""Model files: one file, no pickle, no code execution (docs/model_file.md)."""

from .container import FORMAT_VERSION, ModelFileError, fingerprint
from .kinds import load, save

__all__ = ["FORMAT_VERSION", "ModelFileError", "fingerprint", "load", "save"]
