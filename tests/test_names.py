"""What ``import agnoboost`` offers."""

import subprocess
import sys


def test_the_report_is_reachable_and_loaded_only_when_asked_for():
    program = (
        "import agnoboost, sys; assert 'agnoboost.report' not in sys.modules; assert 'report' in dir(agnoboost); "
        "agnoboost.report.write; assert not hasattr(agnoboost, 'reports')"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
