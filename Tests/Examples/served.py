"""A client in a language and a server: as an app that the client's file is copied into, and as a process that takes
commands."""
import base64
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.append(os.path.join(ROOT, "Tests", "Browser"))

from adapter import Adapter  # noqa: E402
from fixture.server import Server  # noqa: E402
from languages import PACKAGE, run  # noqa: E402
from network import Proxy  # noqa: E402


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Served:
    """A client in a `language`, which a subclass names, and a server of `program`, which is set once."""

    program = ""

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="sojourn-examples-")
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        folder = os.path.join(ROOT, "Examples", cls.language.name.capitalize())
        cls.compile([os.path.join(folder, source) for source in cls.language.sources])

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-examples-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = Server(self.program)
        self.addCleanup(self.server.remove)
        self.server.command("app", "add", "shop")
        self.server.start()

    @classmethod
    def compile(cls, paths, lines=""):
        """Files as they are copied into the app's package; what was printed stands for LINES."""
        with tempfile.TemporaryDirectory(prefix="sojourn-examples-") as folder:
            files = []
            for path in paths:
                files.append(os.path.join(folder, os.path.basename(path)))
                with open(files[-1], "w", encoding="utf-8") as file:
                    text = text_of(path).replace("// LINES\n", lines)
                    file.write(f"package {PACKAGE}{cls.language.end}\n\n{text}")
            cls.language.compile(files, cls.made)

    def added(self, profile):
        return self.server.command("key", "add", "--app", "shop", "--profile", profile, "--for", self.language.name,
                                   "--server", self.server.origin)

    def exported(self):
        token = self.server.token("report", "shop")["token"]
        return [json.loads(line) for line in self.server.report("export", {"app": "shop"}, token).splitlines()]

    def run_app(self, program, lines):
        ending = os.path.splitext(self.language.sources[0])[1]
        self.compile([os.path.join(HERE, "programs", program + ending)], lines)
        return run(*self.language.command(self.made, program), os.path.join(self.folder, "journal"))

    def names(self):
        return [event["name"] for event in self.exported()]


class Driven(Served):
    """The client as a process that takes commands."""

    def setUp(self):
        super().setUp()
        self.journal = os.path.join(self.folder, "journal")
        self.secret = os.path.join(self.folder, "secret")
        self.key = self.added("aes128gcm")
        with open(self.secret, "w", encoding="utf-8") as file:
            file.write(base64.urlsafe_b64decode(self.key["secret"] + "=").hex())

    def adapter(self, options=(), url=None, proxy=None, folder=None, answer="ok", **environment):
        """A process that has started, with options of the JVM's, on the journal or another folder."""
        command = self.language.command(self.made, self.language.adapter, *options)
        client = Adapter(command, os.path.join(self.folder, "log"), **environment)
        self.addCleanup(client.kill)
        where = url or (f"http://127.0.0.1:{proxy.port}" if proxy else self.server.origin)
        line = f"start {where} shop {self.key['key']} {self.secret} {folder or self.journal}"
        self.assertEqual(client.ask(line), answer)
        return client

    def proxied(self, **options):
        proxy = Proxy(self.server, **options)
        self.addCleanup(proxy.close)
        return proxy
