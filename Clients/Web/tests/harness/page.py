"""A page as tests see it, whatever engine it is in."""
import json
import time

DEADLINE = 15
# Longer than the bridge takes to look for the end twice: what has not come by then does not come.
QUIET = 500


class Page:
    """An engine implements `evaluate`, `texts`, `requests` and `close`."""

    def evaluate(self, body):
        """The value of an asynchronous function's body, by way of JSON."""
        raise NotImplementedError

    def run(self, body):
        return self.evaluate(body)

    def wait(self, condition, what):
        """Waits until `condition()` gives something, and gives that."""
        end = time.monotonic() + DEADLINE
        while not (value := condition()):
            if time.monotonic() > end:
                raise AssertionError(f"waited {DEADLINE} s for {what}; the page said {self.texts()}")
            time.sleep(0.01)
        return value

    def wait_until_loaded(self, url, state="complete"):
        states = ("interactive", "complete") if state == "interactive" else ("complete",)
        self.wait(lambda: self.evaluate("return [location.href, document.readyState]")
                  in [[url, s] for s in states], f"{state} of {url}")

    def messages(self):
        """(name, attributes) of each message so far."""
        found = []
        for text in self.texts():
            message = json.loads(text.removeprefix("android "))
            assert set(message) == {"name", "attributes"}, text
            found.append((message["name"], message["attributes"]))
        return found

    def wait_for(self, *expected):
        """Waits until as many messages have come; raises unless they are those expected."""
        self.wait(lambda: len(self.texts()) >= len(expected), f"{len(expected)} messages")
        assert self.messages() == list(expected), f"{self.messages()} are not {list(expected)}"

    def settle(self):
        """Gives the page time to say what it should not."""
        self.evaluate(f"await new Promise(done => setTimeout(done, {QUIET}))")

    def expect(self, *expected):
        """These messages and, given time, no other."""
        self.wait_for(*expected)
        self.settle()
        self.wait_for(*expected)

    def complaints(self):
        return self.evaluate("return window.complaints")
