#!/usr/bin/env python3
"""The clients in Java and Kotlin, as an app has them: suite.py PROGRAM [java|kotlin] [words of tests' names]

The client's file is copied into a package of the app's own. What `key add --for` prints is compiled with it, every
warning an error, run against a server, and looked for in `export`; so are an app's start and stop on Android, by stubs
that an app's subclasses stand on. What docs/client.md quotes from the files stands in them.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(ROOT, "Tests", part) for part in ("Browser", "Support/suites")]

import runner  # noqa: E402
from fixture.server import Server  # noqa: E402

PROGRAM = ""
PAGE = os.path.join(ROOT, "docs", "client.md")
STUBS = os.path.join(ROOT, ".build", "examples", "stubs")
PACKAGE = "org.example.shop"


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


class Java:
    name, end = "java", ";"
    sources = ["Sojourn.java", "android/SojournAndroid.java"]

    @staticmethod
    def compile(files, folder):
        run("javac", "--release", "17", "-Xlint:all", "-Werror", "-cp", f"{folder}:{STUBS}", "-d", folder, *files)

    @staticmethod
    def start(folder, program, *arguments):
        return run("java", "-cp", f"{folder}:{STUBS}", f"{PACKAGE}.{program}", *arguments)


class Kotlin:
    name, end = "kotlin", ""
    sources = ["Sojourn.kt", "android/SojournAndroid.kt"]

    @staticmethod
    def compile(files, folder):
        run("kotlinc", "-Werror", "-jvm-target", "1.8", "-cp", f"{folder}:{STUBS}", "-d", folder, *files)

    @staticmethod
    def start(folder, program, *arguments):
        library = os.environ.get("KOTLIN_LIBRARY", "/usr/share/java/kotlin-stdlib.jar")
        return run("java", "-cp", f"{folder}:{STUBS}:{library}", f"{PACKAGE}.{program}Kt", *arguments)


class Example:
    """What holds for each language; a subclass says which."""

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="sojourn-examples-")
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        folder = os.path.join(ROOT, "Examples", cls.language.name.capitalize())
        cls.compile([os.path.join(folder, source) for source in cls.language.sources])

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-examples-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = Server(PROGRAM)
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
        return self.language.start(self.made, program, os.path.join(self.folder, "journal"))

    def names(self):
        return [event["name"] for event in self.exported()]

    def test_lines_of_aes128gcm_end_in_export(self):
        key = self.added("aes128gcm")
        self.assertIn(key["secret"], key["lines"])
        self.assertEqual(self.run_app("Begin", key["lines"]), "true\n")
        self.assertEqual(self.names(), ["screen.view"])

    def test_lines_of_jwe_end_in_export(self):
        key = self.added("jwe")
        self.assertIn(key["token"], key["lines"])
        self.assertEqual(self.run_app("Begin", key["lines"]), "true\n")
        self.assertEqual(self.names(), ["screen.view"])

    def test_an_app_on_android_tells_its_sessions_and_its_pages(self):
        # The lines but for the client's making, which is Android's own here.
        lines = "\n".join(line for line in self.added("aes128gcm")["lines"].splitlines() if "Sojourn(" not in line)
        told = self.run_app("Life", lines + "\n")
        self.assertEqual(told, "handled true, load false\ntrue\n")
        events = sorted(self.exported(), key=lambda event: event["time"])
        self.assertEqual(
            sorted(event["name"] for event in events),
            ["content.complete", "screen.view", "session.end", "session.start", "webview.event"])
        sessions = {event["attributes"].get("session.id") for event in events if event["name"].startswith("session.")}
        self.assertEqual(len(sessions), 1)

    def test_nothing_that_an_app_hands_in_throws(self):
        self.assertEqual(self.run_app("Hostile", self.added("aes128gcm")["lines"]), "true\n")
        self.assertEqual(self.names(), ["screen.view"])


class InJava(Example, unittest.TestCase):
    language = Java


class InKotlin(Example, unittest.TestCase):
    language = Kotlin


class Quotes(unittest.TestCase):
    def test_what_the_page_quotes_stands_in_the_files(self):
        quotes = re.findall(r"<!-- from (\S+) -->\n```\w+\n(.*?)```", text_of(PAGE), re.S)
        self.assertEqual({os.path.splitext(path)[1] for path, _ in quotes}, {".java", ".kt"})
        for path, quote in quotes:
            indented = {textwrap.indent(quote, " " * depth) for depth in (0, 4, 8)}
            text = text_of(os.path.join(ROOT, path))
            self.assertTrue(any(each in text for each in indented), f"{path} has no\n{quote}")


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1])
    words = sys.argv[2:]
    cases = [case for case in [InJava, InKotlin] if case.language.name in words] or [InJava, InKotlin]
    words = [word for word in words if word not in ("java", "kotlin")]

    def prepare(tests):
        for case in cases:
            if any(isinstance(test, case) for test in tests):
                subprocess.run([os.path.join(ROOT, "scripts", "examples.sh"), case.language.name], check=True)

    loaded = [unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases + [Quotes]]
    runner.run("examples", loaded, words, prepare)


if __name__ == "__main__":
    main()
