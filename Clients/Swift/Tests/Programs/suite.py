#!/usr/bin/env python3
"""Programs around the client: suite.py PROGRAM [words of tests' names]

What `key add --for swift` prints, and docs/client.md shows, is compiled with warnings as errors against the
package's own static library, run against a server, and looked for in `export`. What is for Apple's systems alone is
compiled against stubs of UIKit, SwiftUI and WebKit (Tests/Apple), and run. What `make client-package` writes is
tagged, and an app outside the checkout depends on it by URL and version, as the README tells.
"""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "..")
ROOT = os.path.join(PACKAGE, "..", "..")
sys.path[:0] = [os.path.join(ROOT, "Tests", part) for part in ("Browser", "Support/suites")]

import runner  # noqa: E402
from fixture.server import Server  # noqa: E402

# Where the sources that are compiled beside stubs come from: a copy with an error planted in it.
SOURCES = os.environ.get("CLIENT_SOURCES", os.path.join(PACKAGE, "Sources", "SojournClient"))
CATALOGUE = os.path.join(PACKAGE, "Sources", "SojournClient", "SojournClient.docc")
BUILT = os.path.join(PACKAGE, ".build", "release")
PROGRAM = ""
# What an app has around the lines: it comes to the foreground, and waits until they have arrived.
AROUND = """
Sojourn.foreground()
for _ in 0..<100 {
    if await Sojourn.flush(within: 1) { break }
}
let status: Status = await Sojourn.status
print(status.accepted)
"""


FLAGS = ["-swift-version", "6", "-warnings-as-errors", "-package-name", "swift"]
LIBRARIES = ["-L", BUILT, "-lSojournClient", "-lz", "-lcurl", "-lstdc++"]
MODULES = ["-I", os.path.join(BUILT, "Modules"), "-I", os.path.join(PACKAGE, "Sources", "CZlib")]
# What is compiled as for Apple does without: there URLSession posts.
CURL = ["-I", os.path.join(PACKAGE, "Sources", "CCurl")]


def swiftc(*arguments):
    done = subprocess.run(["swiftc", *FLAGS, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)


def compiled(source, folder):
    """Compiles a program against the library; its path."""
    path = os.path.join(folder, "main.swift")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    program = os.path.join(folder, "program")
    swiftc(path, "-o", program, *MODULES, *CURL, *LIBRARIES)
    return program


def compiled_for_apple(folder):
    """Compiles the library anew, beside stubs of Apple's frameworks, and the app that is driven by them."""
    objects = []

    def module(name, sources):
        objects.append(os.path.join(folder, name + ".o"))
        swiftc("-parse-as-library", "-wmo", "-module-name", name, "-emit-module", "-emit-module-path",
               os.path.join(folder, name + ".swiftmodule"), "-c", "-o", objects[-1], *sources, "-I", folder, *MODULES)

    def sources(place):
        return sorted(os.path.join(place, name) for name in os.listdir(place) if name.endswith(".swift"))

    for name in ["UIKit", "SwiftUI", "WebKit"]:
        module(name, sources(os.path.join(PACKAGE, "Tests", "Apple", name)))
    module("SojournClient", sources(SOURCES))
    program = os.path.join(folder, "program")
    swiftc(os.path.join(PACKAGE, "Tests", "Apple", "main.swift"), *objects, "-o", program, "-I", folder, *MODULES,
           *LIBRARIES)
    return program


class Served(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-programs-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = Server(PROGRAM)
        self.addCleanup(self.server.remove)
        self.server.command("app", "add", "shop")
        self.server.start()

    def added(self, profile):
        return self.server.command("key", "add", "--app", "shop", "--profile", profile, "--for", "swift",
                                   "--server", self.server.origin)

    def exported(self):
        token = self.server.token("report", "shop")["token"]
        return [json.loads(line) for line in self.server.report("export", {"app": "shop"}, token).splitlines()]

    def run_program(self, program, *arguments):
        home = os.path.join(self.folder, "home")
        os.makedirs(home, exist_ok=True)
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=150,
                              env=dict(os.environ, HOME=home, XDG_DATA_HOME=os.path.join(home, "data")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Lines(Served):
    def run_lines(self, lines):
        return self.run_program(compiled(lines + AROUND, self.folder))

    def test_lines_of_aes128gcm_end_in_export(self):
        key = self.added("aes128gcm")
        self.assertIn(key["secret"], key["lines"])
        self.run_lines(key["lines"])
        self.assertIn('"screen.view"', json.dumps(self.exported()))

    def test_the_documentation_shows_what_is_printed(self):
        text = subprocess.run(
            [PROGRAM, "key", "add", "--app", "shop", "--profile", "aes128gcm", "--for", "swift", "--server",
             "https://stats.example.org", "--id", "k1", "--data", self.server.data],
            capture_output=True, text=True, check=True).stdout
        secret = re.search(r"shown once\): (\S+)", text)[1]
        for page in [os.path.join(ROOT, "docs", "client.md"), os.path.join(CATALOGUE, "GettingStarted.md")]:
            with open(page, encoding="utf-8") as file:
                self.assertIn(text.replace(secret, "7R6a…"), file.read(), page)

    def test_lines_of_jwe_end_in_export(self):
        key = self.added("jwe")
        self.assertIn(key["token"], key["lines"])
        self.run_lines(key["lines"])
        self.assertIn('"screen.view"', json.dumps(self.exported()))


def block(path, word):
    """The first block of code of a page that has a word."""
    with open(path, encoding="utf-8") as file:
        return next(code for code in re.findall(r"```swift\n(.*?)```", file.read(), re.S) if word in code)


class Package(Served):
    """An app outside the checkout. It is built where the client was: what takes longest, swift-crypto's C for Linux
    alone, stands there."""

    def setUp(self):
        super().setUp()
        kept = os.path.join(ROOT, ".build", "client-package")
        self.built = os.path.join(PACKAGE, ".build")
        self.tree = os.path.join(kept, "sojourn-client")
        self.app = os.path.join(kept, "app")
        for folder in [self.tree, self.app]:
            shutil.rmtree(folder, ignore_errors=True)

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.tree, "-c", "user.name=test", "-c", "user.email=test@example.org", *arguments],
                       check=True, capture_output=True)

    def publish(self):
        said = subprocess.run([os.path.join(ROOT, "scripts", "client-package.sh"), self.tree], check=True,
                              capture_output=True, text=True).stdout
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-qm", "The client")
        self.git("tag", re.search(r"tag it (\S+)", said)[1])

    def write_app(self, main):
        parts = block(os.path.join(self.tree, "README.md"), "dependencies:") \
            .replace("https://git.example.org/sojourn-client", "file://" + os.path.abspath(self.tree)) \
            .replace('package: "sojourn-client")])',
                     'package: "sojourn-client")], swiftSettings: [.treatAllWarnings(as: .error), '
                     '.enableUpcomingFeature("MemberImportVisibility")])')
        self.assertIn("treatAllWarnings", parts)
        files = {"Package.swift": "// swift-tools-version: 6.2\nimport PackageDescription\n\n"
                                  f'let package = Package(name: "my-app", {parts})\n',
                 "Sources/MyApp/main.swift": main}
        for name, text in files.items():
            path = os.path.join(self.app, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def swift(self, command, scratch, **environment):
        # SwiftPM remembers which revision a tag once had.
        options = ["--package-path", self.app, "--scratch-path", scratch]
        for name in ["cache", "security"]:
            options += [f"--{name}-path", os.path.join(self.folder, name)]
        clean = {name: value for name, value in os.environ.items() if name != "CLIENT_DEVELOPMENT"}
        done = subprocess.run(["swift", *command.split(), *options], capture_output=True, text=True,
                              env=dict(clean, **environment))
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
        return done.stdout

    def test_an_app_outside_the_checkout(self):
        key = self.added("aes128gcm")
        lines = block(os.path.join(ROOT, "README.md"), "import SojournClient") \
            .replace("k1:SECRET", f"{key['key']}:{key['secret']}") \
            .replace("https://stats.example.org", self.server.origin)
        self.assertEqual(lines.strip(), key["lines"].strip())
        self.assertEqual(block(os.path.join(ROOT, "README.md"), "dependencies:"),
                         block(os.path.join(PACKAGE, "README.md"), "dependencies:"))
        lines = lines.replace(self.server.origin + '")', self.server.origin + '", debug: false)')
        self.publish()
        self.write_app(lines + AROUND)
        self.swift("package resolve", os.path.join(self.folder, "build"))
        with open(os.path.join(self.app, "Package.resolved"), encoding="utf-8") as file:
            self.assertEqual([pin["identity"] for pin in json.load(file)["pins"]], ["sojourn-client"])
        self.addCleanup(build_library)
        # Under their names in the checkout nothing of the package must need them.
        for name in ["Core", "JSON"]:
            os.remove(os.path.join(BUILT, "Modules", name + ".swiftmodule"))
        self.swift("build -c release", self.built, CLIENT_DEVELOPMENT="1")
        built = self.swift("build -c release --show-bin-path", self.built, CLIENT_DEVELOPMENT="1").strip()
        self.run_program(os.path.join(built, "MyApp"))
        self.assertIn('"screen.view"', json.dumps(self.exported()))

    def refused(self, folder):
        path = os.path.join(folder, "thesis.txt")
        os.makedirs(folder, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("a year of work")
        done = subprocess.run([os.path.join(ROOT, "scripts", "client-package.sh"), folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(os.path.exists(path))
        return done.stderr

    def test_a_folder_with_something_else_in_it_stays(self):
        self.assertIn("neither empty nor a copy", self.refused(os.path.join(self.folder, "thesis")))
        repository = os.path.join(self.folder, "repository")
        subprocess.run(["git", "init", "-q", repository], check=True)
        self.assertIn("neither empty nor a copy", self.refused(repository))

    def test_a_copy_with_changes_stays(self):
        self.publish()
        self.assertIn("not committed", self.refused(self.tree))


class Apple(Served):
    def run_app(self, kind, server):
        key = self.server.command("key", "add", "--app", "shop", "--profile", "aes128gcm")
        program = compiled_for_apple(self.folder)
        said = self.run_program(program, "shop", key["key"] + ":" + key["secret"], server, kind)
        self.assertTrue(said.endswith("passed\n"), said)

    def test_an_app_that_lives(self):
        self.run_app("life", self.server.origin)
        names = [line.get("name") for line in self.exported()]
        self.assertEqual(names.count("session.start"), 1, names)
        self.assertEqual(names.count("session.end"), 1, names)
        self.assertEqual(names.count("screen.view"), 2, names)
        self.assertEqual(names.count("content.complete"), 1, names)

    def test_an_app_whose_time_is_taken_away(self):
        with socket.socket() as stalling:
            stalling.bind(("127.0.0.1", 0))
            stalling.listen(8)
            self.run_app("expiry", f"http://127.0.0.1:{stalling.getsockname()[1]}")


def build_library():
    subprocess.run([os.path.join(PACKAGE, "build.sh"), "library"], check=True)


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1])
    loaded = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    runner.run("programs", loaded, sys.argv[2:], lambda tests: build_library())


if __name__ == "__main__":
    main()
