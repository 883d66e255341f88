"""What docs/client.md says of the clients in other languages stands in the files, and is what is tried."""
import os
import re
import textwrap
import unittest

from languages import KotlinOfToday, install_todays_kotlin
from served import ROOT, text_of

PAGE = os.path.join(ROOT, "docs", "client.md")


class Page(unittest.TestCase):
    def test_what_the_page_quotes_stands_in_the_files(self):
        quotes = re.findall(r"<!-- from (\S+) -->\n```\w+\n(.*?)```", text_of(PAGE), re.S)
        self.assertEqual({os.path.splitext(path)[1] for path, _ in quotes}, {".java", ".kt"})
        for path, quote in quotes:
            indented = {textwrap.indent(quote, " " * depth) for depth in (0, 4, 8)}
            text = text_of(os.path.join(ROOT, path))
            self.assertTrue(any(each in text for each in indented), f"{path} has no\n{quote}")

    def test_it_names_the_kotlin_of_today(self):
        if not install_todays_kotlin():
            self.skipTest("pip does not give today's Kotlin")
        number, = re.findall(r"kotlinc-jvm (\d+\.\d+)", KotlinOfToday.version())
        self.assertIn(f"Kotlin 1.3 and {number}", text_of(PAGE))
