"""The C programs of the benchmarks, and what they print."""

import json
import os

from .server import SECRET, run


class Native:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)

    def _ask(self, name, *values, **options):
        named = [
            part
            for key, value in options.items()
            for part in ("--" + key.replace("_", "-"), str(value))
        ]
        return run([os.path.join(self.folder, name), *map(str, values), *named])

    def population(self, **options):
        return json.loads(self._ask("population", **options))

    def load(self, server, app, **options):
        """What posting to a server came to; the key is the one that `Server.make_app` makes.

        Other forms than sealed batches need a `token`, of `Server.ingest_token`.
        """
        to = {"port": server.port, "app": app, "key": f"{app}-key", "secret": SECRET}
        return json.loads(self._ask("load", **to, pid=server.pid, **options))

    def write_requests(self, path, app, **options):
        of = {"write_requests": path, "app": app, "key": f"{app}-key", "secret": SECRET}
        self._ask("load", **of, **options)

    def write_pool(self, path, **options):
        """Batches to be posted by `load` with `pool`, to one app after the other."""
        self._ask("load", write_pool=path, **options)

    def limit(self, requests, app, folder):
        return json.loads(self._ask("limit", requests, f"{app}-key", SECRET, app, folder))
