"""The population that reports are asked about: made and loaded once, kept in a folder."""

import datetime
import json
import os
import shutil
import time

from .server import Server, database_bytes, fail

APP = "shop"
DAY = 86_400_000


class Dataset:
    """`folder` holds data/ (the server's), events.duckdb and manifest.json, the last one made."""

    def __init__(self, folder, program, native, of_numbers=False):
        self.of_numbers = of_numbers  # every event is a page.load
        self.folder, self.native = os.path.abspath(folder), native
        self.data = os.path.join(self.folder, "data")
        self.manifest_path = os.path.join(self.folder, "manifest.json")
        self.duck_path = os.path.join(self.folder, "events.duckdb")
        self.server = Server(
            program, self.data, ["--report-timeout", "10m", "--shutdown-timeout", "10m"]
        )
        self.manifest = None

    def prepare(self, events, devices, days, seed):
        asked = {"events": events, "devices": devices, "days": days, "seed": seed}
        if os.path.exists(self.manifest_path):
            self.open_kept()
            kept = {name: self.manifest[name] for name in asked}
            if kept != asked:
                fail(f"{self.folder} holds {kept}, not {asked}; give another KEEP, or remove it")
            return
        if os.path.exists(self.folder) and os.listdir(self.folder):
            fail(
                f"{self.folder} is neither empty nor a whole data set; give another KEEP, or remove it"
            )
        os.makedirs(self.folder, exist_ok=True)
        today = datetime.datetime.now(datetime.timezone.utc).date()
        self.manifest = {**asked, "until": today.isoformat(), "report_token": None}
        self._make()
        self._load()
        with open(self.manifest_path + ".new", "w") as file:
            json.dump(self.manifest, file, indent=1)
        os.replace(self.manifest_path + ".new", self.manifest_path)

    def open_kept(self):
        """The data set that an earlier run has made."""
        if not os.path.exists(self.manifest_path):
            fail(f"{self.folder} holds no data set")
        with open(self.manifest_path) as file:
            self.manifest = json.load(file)

    def _make(self):
        given, begun = self.manifest, time.monotonic()
        until = (
            int(datetime.datetime.fromisoformat(given["until"] + "T00:00:00+00:00").timestamp())
            * 1000
        )
        asked = {name: given[name] for name in ("events", "devices", "days", "seed")}
        made = self.native.population(
            **asked, until=until, out=self.folder, numbers=int(self.of_numbers)
        )
        given["made"] = made
        print(
            f"made {made['events']:,} events in {made['batches']:,} batches "
            f"({time.monotonic() - begun:.0f} s)",
            flush=True,
        )

    def _load(self):
        pool = os.path.join(self.folder, "batches.pool")
        self.server.make_app(APP)
        self.manifest["report_token"] = self.server.report_token()
        self.manifest["loaded_from"] = (
            datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        )
        with self.server as server:
            told = self.native.load(server, APP, pool=pool)
            self.manifest["settled_after"] = server.settle()
        if told["wrong"] or told["events"] != self.manifest["events"]:
            fail(f"the load went wrong: {told}")
        self.manifest["loaded_to"] = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        self.manifest["load"] = told
        self.manifest["octets_per_event"] = database_bytes(self.data) / told["events"]
        os.unlink(pool)
        print(
            f"loaded them in {told['seconds']:.0f} s, {told['events_per_s']:,.0f} events/s, "
            f"{told['server_cpu_us']:.2f} µs of CPU an event; the server rested "
            f"{self.manifest['settled_after']:.0f} s later",
            flush=True,
        )

    def last_day(self):
        """The last whole day with events."""
        return datetime.date.fromisoformat(self.manifest["until"]) - datetime.timedelta(days=1)

    def arrival_days(self):
        """The first and the last day on which batches arrived."""
        names = ("loaded_from", "loaded_to")
        return [datetime.date.fromisoformat(self.manifest[name]) for name in names]

    def copy_of_data(self, name):
        """A copy to write into, so that the kept one stays as it was loaded."""
        path = os.path.join(self.folder, name, "data")
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)
        os.makedirs(os.path.dirname(path))
        shutil.copytree(self.data, path)
        return path
