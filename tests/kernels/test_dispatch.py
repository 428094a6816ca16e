"""Threads that share passes over rows: what they do, and what may go wrong with threads that wait."""

import os
import sys
import time

import numpy as np
import pytest

from agnoboost.kernels.dispatch import in_parts, summed_in_parts


def test_parts_cover_everything_once():
    seen = np.zeros(1001, dtype=int)

    def work(start, end):
        seen[start:end] += 1

    in_parts(work, len(seen), 7)
    assert (seen == 1).all()


def test_sums_of_parts_are_added():
    into = np.array([5])

    def work(sums, start, end):
        sums += sum(range(start, end))

    summed_in_parts(work, 100, 3, into)
    assert into == 5 + sum(range(100))


def test_tasks_may_have_tasks_of_their_own():
    """More at once than there are threads: nobody waits for a thread that waits for him."""
    done = []

    def inner(start, end):
        time.sleep(0.001)
        done.append(end - start)

    in_parts(lambda start, end: in_parts(inner, 40, 40), 40, 40)
    assert sum(done) == 40 * 40


def test_an_error_in_a_part_comes_out():
    def work(start, end):
        if start:
            raise KeyError(start)

    with pytest.raises(KeyError):
        in_parts(work, 4, 4)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python warns of every fork beside threads")
def test_a_child_has_threads_of_its_own():
    in_parts(lambda start, end: None, 4, 4)
    child = os.fork()
    if child == 0:
        counted = []
        in_parts(lambda start, end: counted.append(start), 4, 4)
        os._exit(len(counted))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
