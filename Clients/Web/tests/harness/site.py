"""Where the tested pages lie: a folder, read from `file:` and over HTTP."""
import http.server
import os
import shutil
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
# Another file may be tried, such as one that was broken on purpose.
BRIDGE = os.environ.get("BRIDGE", os.path.join(HERE, "..", "..", "sojourn.js"))
IMAGE = (b"<svg xmlns='http://www.w3.org/2000/svg' width='50' height='3000'>"
         b"<rect width='50' height='3000'/></svg>")


class Site:
    """Pages by address. `/held/…` is an image of 3,000 px that comes when `release` is called."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-web-")
        shutil.copy(BRIDGE, os.path.join(self.folder, "sojourn.js"))
        self._count = 0
        self._released = threading.Event()
        site = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=site.folder)

            def do_GET(self):
                if self.path.startswith("/held/"):
                    site._released.wait(20)
                    self.send_response(200)
                    self.send_header("Content-Type", "image/svg+xml")
                    self.send_header("Cache-Control", "no-store")
                    self.end_headers()
                    self.wfile.write(IMAGE)
                else:
                    super().do_GET()

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self._server.server_port}"

    def put(self, html, over_http=False):
        """The address of a page that is new with each call."""
        self._count += 1
        name = f"page-{self._count}.html"
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(html)
        return f"{self.origin}/{name}" if over_http else f"file://{self.folder}/{name}"

    def hold(self):
        self._released.clear()

    def release(self):
        self._released.set()

    def close(self):
        self.release()
        self._server.shutdown()
        self._server.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)
