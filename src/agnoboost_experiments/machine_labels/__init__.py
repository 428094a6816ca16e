"""Machine labels beside few gold ones: what they are worth, against what a user would do with both."""

from ..experiment import DATA, Experiment, Option
from ..few_labels import Half

EXPERIMENT = Experiment(
    "machine",
    __name__,
    "50 to 300 gold labels, and a machine's label for every row: what both together bring.",
    (
        Option("half", Half.reporting, "The tables that report, or those that methods were developed on."),
        DATA,
        Option("seeds", 10, "Random draws of each kind.", least=1),
        Option("rival_seeds", 3, "How many of these are for rivals and for other numbers of rows, too.", least=1),
        Option("most_gold", 300, "No numbers of gold labels beyond this one.", least=50),
        Option("most_rows", 10_000, "No pools of machine-labeled rows beyond this one.", least=1000),
        Option("tables", None, "Only this table, and others given the same way.", several=True),
        Option("machines", None, "Only this machine, and others given the same way.", several=True),
        Option("methods", None, "Only this method, and others given the same way.", several=True),
        Option("again", None, "Measure this method anew where another version of it was measured.", several=True),
    ),
    quick={
        "seeds": 1,
        "most_gold": 50,
        "most_rows": 1000,
        "tables": ["breast cancer", "digits, odd"],
        "machines": ["rule of thumb", "fewer columns", "coin"],
    },
)
