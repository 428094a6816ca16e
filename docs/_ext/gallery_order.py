"""The gallery in the order in which one would read it, for sphinx-gallery's ``within_subsection_order``."""

ORDER = (
    "plot_few_labels.py",
    "plot_messy_table.py",
    "plot_machine_labels.py",
    "plot_useless_machine.py",
    "plot_label_kinds.py",
    "plot_positives_only.py",
    "plot_rare_classes.py",
    "plot_audit.py",
    "plot_suspicious_labels.py",
    "plot_label_next.py",
    "plot_explain.py",
    "plot_stump_curves.py",
    "plot_unlabeled_rows.py",
    "plot_the_loop.py",
    "plot_family.py",
    "plot_policy.py",
)


class ReadingOrder:
    """A key to sort by; a script that is not named above is an error."""

    def __init__(self, folder: object) -> None:
        pass

    def __call__(self, name: object) -> int:
        return ORDER.index(str(name))

    def __repr__(self) -> str:
        return "<ReadingOrder>"  # without an address: sphinx compares settings between builds
