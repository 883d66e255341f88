"""Headless Chromium, driven over its debugging pipe: no WebDriver, no WebSocket, the standard library alone."""

from .browser import Browser, Gone, program
from .page import Page

__all__ = ["Browser", "Gone", "Page", "program"]
