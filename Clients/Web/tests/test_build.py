"""The built file: what it is, and that it is built of its source."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from harness.site import BRIDGE, HERE

FOLDER = os.path.normpath(os.path.join(HERE, "..", ".."))
# Those of Debian 12. Others write the same program otherwise.
VERSIONS = {"tsc": "Version 4.8.4", "terser": "terser 5.16.5"}
ENVIRONMENT = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}

PAGE = """
sojourn.say("tap");
sojourn.say("purchase-complete", { order: 7, ok: true, note: "x" });
const nothing: void = sojourn.say("a", {});
"""
WRONG = ['sojourn.say();', 'sojourn.say(7);', 'sojourn.say("a", 7);', 'sojourn.say("a", { b: null });',
         'sojourn.say("a", { b: { c: 1 } });', 'sojourn.tell("a");', 'sojourn = { say() {} };']


def version(tool):
    done = subprocess.run([tool, "--version"], capture_output=True, text=True, env=ENVIRONMENT)
    return done.stdout.strip()


def needs(*tools):
    """Skips a test where a tool is missing or is of another version than the file was built with."""
    for tool in tools:
        if not shutil.which(tool):
            return unittest.skip(f"{tool} is not installed; on Debian: node-typescript, terser")
        if version(tool) != VERSIONS[tool]:
            return unittest.skip(f"{tool} is not of {VERSIONS[tool]}, but {version(tool)}")
    return lambda test: test


class BuiltFile(unittest.TestCase):
    def setUp(self):
        with open(BRIDGE, "rb") as file:
            self.bytes = file.read()
        self.text = self.bytes.decode("ascii")

    def test_it_has_at_most_2048_bytes_in_one_line(self):
        self.assertLessEqual(len(self.bytes), 2048)
        self.assertEqual(self.text.count("\n"), self.text.endswith("\n"))

    def test_it_loads_and_evaluates_nothing(self):
        words = r"\b(eval|import|export|require|fetch|Function|XMLHttpRequest|sendBeacon|WebSocket)\b"
        self.assertEqual(re.findall(words, self.text), [])
        self.assertEqual(re.findall(r"cookie|[lL]ocalStorage|sessionStorage|indexedDB", self.text), [])
        self.assertEqual(re.findall(r"https?:|console", self.text), [])

    def test_a_page_may_hold_it_between_tags(self):
        self.assertNotIn("</script", self.text.lower())
        self.assertNotIn("<!--", self.text)


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-build-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def compile(self, text):
        """What the compiler says of a page's script with the types beside it."""
        page = os.path.join(self.folder, "page.ts")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
        options = {"strict": True, "noEmit": True, "types": []}
        files = [os.path.join(FOLDER, "sojourn.d.ts"), page]
        with open(os.path.join(self.folder, "tsconfig.json"), "w", encoding="utf-8") as file:
            json.dump({"compilerOptions": options, "files": files}, file)
        done = subprocess.run(["tsc", "--project", self.folder], capture_output=True, text=True,
                              env=ENVIRONMENT)
        return done.stdout

    @needs("tsc", "terser")
    def test_the_source_gives_the_file_byte_for_byte(self):
        built = os.path.join(self.folder, "built.js")
        done = subprocess.run([os.path.join(FOLDER, "build.sh"), built], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(built, "rb") as new, open(os.path.join(FOLDER, "sojourn.js"), "rb") as old:
            self.assertTrue(new.read() == old.read(), "sojourn.js is another: make web")

    @needs("tsc")
    def test_a_page_in_typescript_knows_what_it_may_say(self):
        self.assertEqual(self.compile(PAGE), "")

    @needs("tsc")
    def test_a_page_in_typescript_is_told_what_it_may_not(self):
        for line in WRONG:
            with self.subTest(line):
                self.assertIn("error TS", self.compile(line))


if __name__ == "__main__":
    unittest.main()
