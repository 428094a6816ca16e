"""Who is told of progress, and how often."""

import numpy as np

import agnoboost as ab
from agnoboost.basics.stages import BREATH, PAUSE, QUICK, Moment, Stages, heard_by, lines, spoken


def clock(*times):
    return iter(times).__next__


def test_a_plan_inside_a_plan():
    seen = []
    outer = Stages(show=seen.append, clock=clock(0.0, 0.0, 0.0, 3.0, 4.0))
    outer.plan(["training", "evaluation"])
    outer.begin("training")
    with heard_by(outer.inside):
        inner = Stages(clock=clock(0.0, 0.0, 3.0))
        inner.plan(["bins", "trees", "kernels", "blending"])
        inner.begin("blending")
    outer.begin("evaluation")
    assert [moment.share for moment in seen] == [0.0, 0.375, 0.5]
    assert seen[1] == Moment("training: blending", 0.75, 2, 3.0, 5.0)
    assert [moment.left for moment in seen] == [None, 5.0, 4.0]


def test_what_is_not_planned_does_not_go_back():
    seen = []
    stages = Stages(show=seen.append, clock=clock(0.0, 0.0, 0.0, 5.0, 6.0))
    stages.plan(["bins", "trees"])
    for name in ("bins", "trees", "trees, other runs"):
        stages.begin(name)
    assert [moment.share for moment in seen] == [0.0, 0.5, 0.5]
    assert seen[-1].label == "[2/2] trees, other runs"


def test_nobody_listens_outside():
    seen = []
    with heard_by(seen.append):
        pass
    Stages().begin("trees")
    assert not seen


def test_what_was_done_before_says_nothing_about_the_time_left():
    seen = []
    stages = Stages(show=seen.append, clock=clock(0.0, 0.0, 0.0, 5.0, 5.0, 10.0))
    stages.begin("study")
    for done in (90, 91, 92):
        stages.count(done, 100)
    assert [moment.left for moment in seen] == [None, None, 45.0, 40.0]
    assert seen[-1].label == "[93/100] study"
    assert Moment("study", 100, 100).label == "[100/100] study"


def test_lines_come_at_new_stages_and_else_now_and_then():
    said = []
    show = lines(said.append)
    show(Moment("reading"))
    show(Moment("bins", elapsed=0.9 * QUICK))  # quick work needs no more
    show(Moment("study", 0, 9, QUICK))
    show(Moment("short", 0, 9, QUICK + 0.9 * BREATH))
    show(Moment("study", 1, 9, QUICK + 0.9 * PAUSE))
    show(Moment("study", 2, 9, QUICK + PAUSE))
    assert [text.split(";")[0] for text in said] == [
        "agnoboost: reading",
        "agnoboost: [1/9] study",
        "agnoboost: [3/9] study",
    ]


def test_the_stages_of_a_table_go_forward(monkeypatch):
    """Whatever is said is in the plan, and in its order: three classes, members that race."""
    monkeypatch.setattr("agnoboost.estimators.table.training.RACE_ROWS", 50)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
    seen = []
    with heard_by(seen.append):
        ab.TableClassifier("fast", members=["stumps", "small trees", "linear"], random_state=0).fit(X, y)
    _, *planned = [moment.done for moment in seen]  # after reading
    assert planned == sorted(set(planned))
    assert {moment.total for moment in seen[1:]} == {2 + 3 * 2}
    assert "other runs of the trees, class 3 of 3" in [moment.stage for moment in seen]


def test_fits_tell_their_stages():
    X = [[float(i), float(i % 3)] for i in range(40)]
    y = [i % 2 for i in range(40)]
    for model, last in (
        (ab.TableClassifier(members=["linear"]), "regressions"),
        (ab.AgnosticBoostingClassifier(n_rounds=3), "training on all labels"),
    ):
        seen = []
        with heard_by(seen.append):
            model.fit(X, y)
        assert seen[0].stage == "reading"
        assert seen[-1].stage == last


class Clock:
    """Goes when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def run(verbose):
    clock = Clock()
    stages = Stages(verbose, clock=clock)
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
