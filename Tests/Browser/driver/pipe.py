"""The debugging pipe: JSON messages that end with a zero byte, on descriptors 3 and 4 of the browser."""
import itertools
import json
import os
import queue
import threading


class BrowserError(Exception):
    """The browser refused a command, or is gone."""


class Pipe:
    """Commands and their answers, from any thread; events go to the listener of their session."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer
        self._numbers = itertools.count(1)
        self._writing = threading.Lock()
        self._waiting, self._listeners = {}, {}
        threading.Thread(target=self._read, daemon=True).start()

    def listen(self, session, listener):
        """`listener(method, parameters)` is called for each event, in order; it must not send commands."""
        self._listeners[session] = listener

    def forget(self, session):
        self._listeners.pop(session, None)

    def send(self, method, session=None, seconds=60, **parameters):
        """The result of a command."""
        number, answers = next(self._numbers), queue.Queue()
        self._waiting[number] = answers
        message = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        text = json.dumps(message).encode() + b"\0"
        with self._writing:
            while text:
                text = text[os.write(self._writer, text):]
        try:
            answer = answers.get(timeout=seconds)
        except queue.Empty:
            raise BrowserError(f"{method}: no answer in {seconds} s") from None
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _read(self):
        rest = b""
        while piece := self._piece():
            *messages, rest = (rest + piece).split(b"\0")
            for message in map(json.loads, messages):
                self._deliver(message)
        for answers in list(self._waiting.values()):
            answers.put({"error": {"message": "the browser is gone"}})

    def _piece(self):
        try:
            return os.read(self._reader, 1 << 20)
        except OSError:
            return b""

    def _deliver(self, message):
        if "id" in message:
            answers = self._waiting.pop(message["id"], None)
            if answers is not None:
                answers.put(message)
        elif listener := self._listeners.get(message.get("sessionId")):
            listener(message["method"], message["params"])
