"""A small app around WebKitGTK. Commands as lines of JSON on standard input, an answer in a line each.

    {"do": "open", "url": …, "script": …, "handler": …}  {"do": "run", "body": …}
    {"do": "tell"}  {"do": "close"}
"""
import json
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402

OWN = ("file", "http", "about")


def answer(**members):
    print(json.dumps(members), flush=True)


class App:
    def __init__(self):
        self.window = self.view = None

    def open(self, url, script, handler):
        self.texts, self.requests = [], []
        manager = WebKit2.UserContentManager()
        if handler:
            manager.connect("script-message-received::" + handler, self.receive)
            manager.register_script_message_handler(handler)
        manager.add_script(WebKit2.UserScript.new(
            script, WebKit2.UserContentInjectedFrames.TOP_FRAME,
            WebKit2.UserScriptInjectionTime.START, None, None))
        self.view = WebKit2.WebView.new_with_user_content_manager(manager)
        self.view.get_settings().set_property("allow-file-access-from-file-urls", True)
        self.view.connect("decide-policy", self.decide)
        self.window = Gtk.Window()
        self.window.set_default_size(400, 600)
        self.window.add(self.view)
        self.window.show_all()
        self.view.load_uri(url)
        answer()

    def receive(self, _, result):
        self.texts.append(result.get_js_value().to_string())

    def decide(self, _, decision, kind):
        """Apps take URLs of their own schemes, and load all others."""
        if kind != WebKit2.PolicyDecisionType.NAVIGATION_ACTION:
            return False
        url = decision.get_navigation_action().get_request().get_uri()
        if url.split(":")[0] in OWN:
            return False
        self.requests.append(url)
        decision.ignore()
        return True

    def run(self, body):
        def done(view, result):
            try:
                text = view.call_async_javascript_function_finish(result).to_string()
                answer(value=json.loads(text))
            except GLib.Error as error:
                answer(error=error.message)

        code = f"const value = await (async () => {{ {body} }})(); return JSON.stringify(value ?? null)"
        self.view.call_async_javascript_function(code, -1, None, None, None, None, done)

    def tell(self):
        answer(texts=self.texts, requests=self.requests)

    def close(self):
        self.window.destroy()
        answer()


def main():
    app = App()

    def read(*_):
        line = sys.stdin.readline()
        if not line:
            Gtk.main_quit()
            return False
        command = json.loads(line)
        getattr(app, command.pop("do"))(**command)
        return True

    # One command at a time: after each line the other side waits for its answer.
    GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, read)
    Gtk.main()


main()
