"""``python -m agnoboost`` is the ``agnoboost`` command."""

from .cli import main

main()
