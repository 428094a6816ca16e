"""What a benchmark leaves behind: its command, the versions, the results."""

import json
import platform
from importlib.metadata import PackageNotFoundError, version


def version_of(name):
    """XGBoost without CUDA bears another name where there is such a package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return version(name.removesuffix("-cpu"))


def write(path, command, results, packages=("agnoboost", "numpy", "scikit-learn")):
    """Write a JSON file, unless ``path`` is None."""
    if path is None:
        return
    versions = {**{name: version_of(name) for name in packages}, "python": platform.python_version()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"command": command, "versions": versions, "results": results}, indent=1) + "\n")
