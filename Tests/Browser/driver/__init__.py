"""A headless Chromium over its debugging pipe, with the standard library alone."""
from .browser import Browser, find_chromium
from .interception import REFUSED, Answer
from .page import NeverTrue, Page
from .pipe import BrowserError

__all__ = ["Answer", "Browser", "BrowserError", "NeverTrue", "Page", "REFUSED", "find_chromium"]
