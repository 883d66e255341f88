"""A program of Benchmarks/Peers: the same job as the server's, made of libraries."""

from .server import SECRET, Server


class Peer(Server):
    """Takes any app; it has one key, that of `Server.make_app` for the app it is given."""

    def __init__(self, program, data, app):
        super().__init__(program, data)
        self.app = app

    def arguments(self):
        key = ["--key", f"{self.app}-key", "--secret", SECRET]
        return ["--port", "0", "--data", self.data, *key]

    def is_ready(self):
        return True
