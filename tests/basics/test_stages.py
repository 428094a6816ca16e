"""Who is told of progress, and how often."""

import agnoboost as ab
from agnoboost.basics.stages import PAUSE, QUICK, Moment, Stages, heard_by, lines, spoken


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
    show(Moment("study", 1, 9, QUICK + 0.9 * PAUSE))
    show(Moment("study", 2, 9, QUICK + PAUSE))
    assert [text.split(";")[0] for text in said] == [
        "agnoboost: reading",
        "agnoboost: [1/9] study",
        "agnoboost: [3/9] study",
    ]


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


def test_times_as_people_say_them():
    assert [spoken(t) for t in (0.0, 0.004, 9.94, 59.4)] == ["0 s", "0.004 s", "9.9 s", "59 s"]
    assert [spoken(t) for t in (59.97, 60.0, 3599.4, 3600.0, 90000.0)] == [
        "1 min 0 s",
        "1 min 0 s",
        "59 min 59 s",
        "1 h 0 min",
        "25 h 0 min",
    ]
