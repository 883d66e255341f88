"""Today's ClickHouse (chdb, in this process) behind as much of its HTTP interface as a node uses.

    today.py FOLDER PORT USER PASSWORD

One statement at a time. Settings in the URL go to the end of statements that may have them; the rows of an INSERT
go through a file.
"""
import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

# Of the HTTP interface itself.
OWN = {"query", "query_id", "database", "wait_end_of_query"}
INSERT = re.compile(rb"^\s*(INSERT\s+INTO\b.*?)\s+FORMAT\s+(\w+)\s*$", re.I | re.S)
FORMAT = re.compile(r"\s+FORMAT\s+(\w+)\s*$", re.I)
# What is wrong with the question; all else is the server's fault.
STATUS = {47: 404, 60: 404, 81: 404, 62: 400, 36: 400, 43: 400, 53: 400, 115: 400}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    session, lock, folder, credentials = None, threading.Lock(), None, None

    def log_message(self, *_):
        pass

    def answer(self, status, body, code=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if code:
            self.send_header("X-ClickHouse-Exception-Code", str(code))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if (self.headers.get("X-ClickHouse-User"), self.headers.get("X-ClickHouse-Key", "")) != self.credentials:
            return self.answer(403, b"Code: 516. DB::Exception: Authentication failed\n", 516)
        settings = ", ".join(
            f"{name} = {value}" if re.fullmatch(r"-?\d+", value) else f"{name} = '{value}'"
            for name, value in given.items() if name not in OWN)
        tail = f" SETTINGS {settings}" if settings else ""
        rows = None
        try:
            insert = INSERT.match(given["query"].encode()) if "query" in given else None
            if insert:
                if not body:
                    return self.answer(200, b"")
                with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                    file.write(body)
                    rows = file.name
                form = insert[2].decode()
                statement = f"{insert[1].decode()} FROM INFILE '{rows}'{tail} FORMAT {form}"
            else:
                statement = (given["query"] + "\n" if "query" in given else "") + body.decode("utf-8", "surrogateescape")
                found = FORMAT.search(statement)
                form = found[1] if found else "TabSeparated"
                statement = FORMAT.sub("", statement)
                if re.match(r"\s*(SELECT|WITH|INSERT)\b", statement, re.I):
                    statement += tail
            with self.lock:
                self.session.query("USE " + given.get("database", "default"))
                result = self.session.query(statement, form)
                data = bytes(result.bytes()) if result is not None else b""
            self.answer(200, data)
        except Exception as error:
            text = str(error)
            code = int((re.search(r"Code: (\d+)", text) or (0, 1000))[1])
            self.answer(STATUS.get(code, 500), (text + "\n").encode("utf-8", "surrogateescape"), code)
        finally:
            if rows:
                os.unlink(rows)


def main():
    folder, port, user, password = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    Handler.folder, Handler.credentials = folder, (user, password)
    Handler.session = Session(os.path.join(folder, "db"))
    server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    server.serve_forever()


if __name__ == "__main__":
    main()
