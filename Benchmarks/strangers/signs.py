"""What systemd would hear from the server: when each sign of life came."""

import socket
import threading
import time

WATCHDOG_SECONDS = 4


class Signs:
    """A socket at `path`, and a thread that listens at it until the end."""

    def __init__(self, path):
        self.environment = {
            "NOTIFY_SOCKET": path,
            "WATCHDOG_USEC": str(WATCHDOG_SECONDS * 1_000_000),
        }
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.settimeout(0.1)
        self.moments, self._ends = [], threading.Event()
        self._thread = threading.Thread(target=self._listen)

    def _listen(self):
        while not self._ends.is_set():
            try:
                if b"WATCHDOG=1" in self.socket.recv(4096):
                    self.moments.append(time.monotonic())
            except TimeoutError:
                pass

    def longest_gap(self, begin, end):
        """Seconds between two signs, or one and either end."""
        within = [begin, *(moment for moment in self.moments if begin < moment < end), end]
        return max(later - earlier for earlier, later in zip(within, within[1:]))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()
        self.socket.close()
