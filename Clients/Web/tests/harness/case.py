"""What tests begin with: pages with the bridge in them, in each engine."""
import sys
import unittest

from .apps import WKWEBVIEW
from .chromium import Chromium
from .site import Site
from .webkit import WebKit

ENGINES = (Chromium, WebKit)
META = "<meta name=sojourn-content content=tour-1>"
TALL = "<div id=tall style='height:4000px'>long</div>"
VIEW = ("content.view", {"content.id": "tour-1"})
COMPLETE = ("content.complete", {"content.id": "tour-1"})
BOTTOM = ("scrolled.bottom", {})

_running = {}


def running(engine):
    """The one process of an engine, or the one site."""
    if engine not in _running:
        _running[engine] = engine()
    return _running[engine]


def close_all():
    while _running:
        _running.popitem()[1].close()


def document(head="", body="", scheme=None, doctype="<!doctype html>"):
    tag = f"<script src=sojourn.js data-scheme={scheme}>" if scheme else "<script src=sojourn.js>"
    return f"{doctype}<meta charset=utf-8>{head}{tag}</script><body style='margin:0'>{body}"


class BridgeTests:
    """Tests that run in each engine; `in_each_engine` makes test cases of them."""

    engine = None

    @classmethod
    def setUpClass(cls):
        if reason := cls.engine.missing():
            raise unittest.SkipTest(reason)

    @property
    def site(self):
        return running(Site)

    def open(self, head="", body="", app=WKWEBVIEW, **options):
        """A page made of parts; see `open_text`."""
        parts = {key: options.pop(key) for key in ("scheme", "doctype") if key in options}
        return self.open_text(document(head, body, **parts), app, **options)

    def open_text(self, html, app=WKWEBVIEW, over_http=False, state="complete"):
        page = running(self.engine).open(self.site.put(html, over_http), app, state)
        self.addCleanup(page.close)
        return page


def in_each_engine(tests):
    """Makes a test case of these tests for each engine, beside them in their module."""
    module = sys.modules[tests.__module__]
    for engine in ENGINES:
        name = f"{tests.__name__}In{engine.name}"
        members = {"engine": engine, "__module__": tests.__module__}
        setattr(module, name, type(name, (tests, unittest.TestCase), members))
    return tests
