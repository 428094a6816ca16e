"""A real browser, spoken to through its own pipe: no driver and no package is needed."""

import base64
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
)  # fmt: skip

LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
os.dup2(ends[0], 3)  # where the browser reads commands
os.dup2(ends[1], 4)  # and writes answers
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One tab: sends commands, and keeps what the page said and asked for."""

    def __init__(self, read, write):
        self._read, self._write, self._rest, self._number = read, write, b"", 0
        self.events = []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")

    _session = None

    def __call__(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session and method != "Browser.close" else {}
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def _next(self):
        while b"\0" not in self._rest:
            piece = os.read(self._read, 1 << 16)
            assert piece, "the browser is gone"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def wait_for(self, event):
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self._next())

    def open(self, url, width=1280, height=900, dark=False, script=True, media="screen"):
        self.events.clear()
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self("Emulation.setScriptExecutionDisabled", value=not script)
        self("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def ask(self, expression):
        """The value of an expression of the page's."""
        answer = self("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    @property
    def complaints(self):
        """Errors and warnings of the page, its scripts and its security policy."""
        return [
            event
            for event in self.events
            if event.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        ]

    @property
    def requested(self):
        """All that the page asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def picture(self, path):
        """The whole page as a PNG file."""
        found = self("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def browser(profile):
    """A browser that ends with the block."""
    to_read, to_write = os.pipe(), os.pipe()
    launch = [sys.executable, "-c", LAUNCH, str(to_write[0]), str(to_read[1])]
    process = subprocess.Popen(
        [*launch, CHROMIUM, *QUIET, f"--user-data-dir={profile}"],
        pass_fds=(to_write[0], to_read[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(to_write[0])
    os.close(to_read[1])
    try:
        tab = Browser(to_read[0], to_write[1])
        yield tab
        tab("Browser.close")  # it writes its profile to the end
        process.wait(timeout=30)
    finally:
        process.kill()
        process.wait(timeout=30)
        os.close(to_read[0])
        os.close(to_write[1])
