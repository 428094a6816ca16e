"""Progress in lines, with a clock of our own."""

from agnoboost.basics.stages import Stages, spoken


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def run(verbose):
    clock = Clock()
    stages = Stages(verbose, clock)
    stages.begin("reading")
    clock.now += 2
    stages.plan(["bins", "trees", "lines"])
    for name, seconds in (("bins", 1), ("trees", 5), ("lines", 90)):
        stages.begin(name)
        clock.now += seconds
    stages.end("all is well")


def test_lines_say_what_is_done_and_what_is_left(capsys):
    run(1)
    assert capsys.readouterr().out.splitlines() == [
        "agnoboost: reading",
        "agnoboost: [1/3] bins; 2 s so far",
        "agnoboost: [2/3] trees; 3 s so far, about 2 s to go",  # one stage took 1 s, two are left
        "agnoboost: [3/3] lines; 8 s so far, about 3 s to go",  # two took 6 s
        "agnoboost: all is well; 1 min 38 s in all",
    ]


def test_nothing_is_said_unless_asked_for(capsys):
    run(0)
    assert capsys.readouterr().out == ""


def test_times_as_people_say_them():
    assert [spoken(t) for t in (0.0, 0.004, 9.94, 59.4)] == ["0 s", "0.004 s", "9.9 s", "59 s"]
    assert [spoken(t) for t in (59.97, 60.0, 3599.4, 3600.0, 90000.0)] == [
        "1 min 0 s",
        "1 min 0 s",
        "59 min 59 s",
        "1 h 0 min",
        "25 h 0 min",
    ]
