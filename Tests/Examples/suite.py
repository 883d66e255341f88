#!/usr/bin/env python3
"""The clients in Java and Kotlin, as an app has them: suite.py PROGRAM [java|kotlin] [words of tests' names]

The client's file is copied into a package of the app's own. What `key add --for` prints is compiled with it, every
warning an error, run against a server, and looked for in `export`; so are an app's start and stop on Android, by stubs
that an app's subclasses stand on. As a process that takes commands it delivers where addresses are silent, proxies let
little through, and its folder has damage. Kotlin is compiled by the oldest and by one of today.
"""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.append(os.path.join(ROOT, "Tests", "Support", "suites"))

import runner  # noqa: E402
from languages import Java, Kotlin, KotlinOfToday, install_todays_kotlin  # noqa: E402
from served import Driven, Served  # noqa: E402
from test_damage import Damage  # noqa: E402
from test_delivery import Delivery  # noqa: E402
from test_page import Page  # noqa: E402
from test_pasted import Compiled, Pasted  # noqa: E402


class InJava(Driven, Pasted, Delivery, Damage, unittest.TestCase):
    language = Java


class InKotlin(Driven, Pasted, Delivery, Damage, unittest.TestCase):
    language = Kotlin


class InKotlinOfToday(Served, Compiled, unittest.TestCase):
    language = KotlinOfToday

    @classmethod
    def setUpClass(cls):
        if not install_todays_kotlin():
            raise unittest.SkipTest("pip does not give today's Kotlin")
        super().setUpClass()


def main():
    Served.program = os.path.abspath(sys.argv[1])
    words = sys.argv[2:]
    cases = [InJava, InKotlin, InKotlinOfToday]
    cases = [case for case in cases if case.language.name in words] or cases
    words = [word for word in words if word not in ("java", "kotlin")]

    def prepare(tests):
        for name in sorted({case.language.name for case in cases if any(isinstance(test, case) for test in tests)}):
            subprocess.run([os.path.join(ROOT, "scripts", "examples.sh"), name], check=True)

    loaded = [unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases + [Page]]
    runner.run("examples", loaded, words, prepare)


if __name__ == "__main__":
    main()
