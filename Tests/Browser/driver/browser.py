"""One process of Chromium."""
import os
import shutil
import subprocess
import tempfile

from .page import Page
from .pipe import BrowserError, Pipe

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--disable-domain-reliability",
    "--metrics-recording-only", "--hide-scrollbars", "--force-color-profile=srgb",
    "--font-render-hinting=none", "--mute-audio",
    # Nothing leaves this machine, whatever a page tries.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def find_chromium():
    """The path of the program, or None; CHROMIUM names another."""
    names = [os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    return next((path for name in names if name and (path := shutil.which(name))), None)


class Browser:
    """zone: the time zone of all pages that name no other; language: of all pages that name no other; flags: further ones."""

    def __init__(self, zone="UTC", language="en-GB", flags=()):
        program = find_chromium()
        if program is None:
            raise BrowserError("no Chromium here; apt-get install chromium")
        self.home = tempfile.mkdtemp(prefix="sojourn-browser-")
        self.zone, self.language = zone, language
        commands_out, commands_in = os.pipe()
        answers_out, answers_in = os.pipe()

        def wire():
            # Both are copied first: one of them may be 3 or 4 itself.
            copies = os.dup(commands_out), os.dup(answers_in)
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        arguments = [program, *FLAGS, *flags, f"--user-data-dir={self.home}", f"--lang={language}",
                     f"--accept-lang={language}"]
        self._process = subprocess.Popen(
            arguments, preexec_fn=wire, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "LANGUAGE": language, "TZ": "UTC"})
        os.close(commands_out)
        os.close(answers_in)
        self.pipe = Pipe(answers_out, commands_in)

    def page(self, **options):
        """A page with storage and cache of its own; `options` as in `Page`."""
        return Page(self, **{"zone": self.zone, "language": self.language, **options})

    def close(self):
        try:
            self.pipe.send("Browser.close", seconds=5)
            self._process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
