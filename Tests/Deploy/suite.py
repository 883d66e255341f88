#!/usr/bin/env python3
"""What deploy/ holds, tried with the programs it is for: suite.py PROGRAM

Where systemd-analyze, nginx or Caddy is not installed, the tests that need it are skipped by name.
"""
import gzip
import json
import os
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Support", "suites"))
import runner  # noqa: E402

DEPLOY = os.path.join(HERE, "..", "..", "deploy")
PROGRAM = ""
UNITS = ["sojourn.service", "sojourn.socket", "sojourn-backup.service", "sojourn-backup.timer"]


def read(name):
    with open(os.path.join(DEPLOY, name), encoding="utf-8") as file:
        return file.read()


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), tool + " is not installed")


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-deploy-")
        # nginx may give up root's rights for its workers.
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


class Units(Folder):
    """systemd's own judgement of the units."""

    @needs("systemd-analyze")
    def test_units_are_what_systemd_understands(self):
        paths = [self.write(u, read(u).replace("/usr/bin/sojourn", PROGRAM)) for u in UNITS]
        done = subprocess.run(["systemd-analyze", "verify", "--man=no"] + paths,
                              capture_output=True, text=True)
        said = [line for line in (done.stdout + done.stderr).splitlines()
                if any(u in line for u in UNITS)]
        self.assertEqual(said, [])

    @needs("systemd-analyze")
    def test_exposure_is_what_the_service_needs(self):
        # The service may ask the kernel for its clock, which systemd rates at two tenths.
        for unit, most in [("sojourn.service", 1.7), ("sojourn-backup.service", 1.5)]:
            path = self.write(unit, read(unit))
            done = subprocess.run(
                ["systemd-analyze", "security", "--offline=true", "--no-pager", path],
                capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
            found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
            self.assertIsNotNone(found, done.stdout + done.stderr)
            self.assertLessEqual(float(found.group(1)), most, unit)

    def test_no_core_file_is_ever_written(self):
        for unit in ["sojourn.service", "sojourn-backup.service"]:
            self.assertRegex(read(unit), r"(?m)^LimitCORE=0$", unit)
        self.assertRegex(read("compose.yaml"), r"(?m)^ +ulimits: \{core: 0\}$")

    def test_a_crash_prints_no_memory(self):
        for unit in ["sojourn.service", "sojourn-backup.service"]:
            self.assertRegex(read(unit), r"(?m)^Environment=SWIFT_BACKTRACE=enable=no$", unit)
        self.assertRegex(read("compose.yaml"), r"(?m)^ +SWIFT_BACKTRACE: enable=no$")

    def test_memory_and_tasks_have_a_limit(self):
        unit = read("sojourn.service")
        high, most = (int(re.search(rf"(?m)^Memory{name}=(\d+)%$", unit).group(1))
                      for name in ["High", "Max"])
        self.assertLess(high, most)
        self.assertLess(most, 100)
        self.assertRegex(unit, r"(?m)^TasksMax=512$")
        self.assertRegex(read("compose.yaml"), r"(?m)^ +pids_limit: 512$")

    def test_the_container_has_more_memory_than_the_settings_multiply_to(self):
        """docs/threat-model.md, What the settings multiply to; here with reports apart, on eight cores."""
        done = subprocess.run(
            [PROGRAM, "check-config", "--json", "--data", os.path.join(self.folder, "data")],
            capture_output=True, text=True, check=True)
        values = {name: setting["value"] for name, setting in json.loads(done.stdout).items()}
        mebibyte, cores = 1 << 20, 8
        # At most 16 KiB of an answer are not counted in max-answer-bytes.
        connections = (2 * values["max-connections"] + 64) * (16 << 10)
        workers = 2 * cores * (3 * values["max-body-bytes"] + 2 * values["max-inflated-bytes"])
        most = (values["max-buffered-bytes"] + 1.5 * values["report-memory"]
                + values["max-answer-bytes"] + connections + workers + 250 * mebibyte)
        limit = re.search(r"(?m)^ +mem_limit: (\d+)g$", read("compose.yaml"))
        self.assertGreater(int(limit.group(1)) << 30, most)

    def test_wrong_settings_and_damage_are_not_tried_again(self):
        self.assertEqual(
            re.findall(r"(?m)^RestartPreventExitStatus=(.*)$", read("sojourn.service")),
            ["64 78", "65"],
        )

    def test_a_start_on_a_full_disk_is_tried_again_until_there_is_room(self):
        """systemd gives up after five starts within ten seconds unless told otherwise."""
        unit = read("sojourn.service")
        head = unit[:unit.index("[Service]")]
        self.assertRegex(head, r"(?m)^StartLimitIntervalSec=0$")
        self.assertRegex(unit, r"(?m)^Restart=on-failure\nRestartSec=2s$")

    def test_a_missing_credential_stops_nothing(self):
        """Only a name, not a path, may be missing (systemd.exec, LoadCredential=)."""
        for unit in ["sojourn.service", "sojourn-backup.service"]:
            values = re.findall(r"(?m)^LoadCredential(?:Encrypted)?=master\.key:(.+)$", read(unit))
            self.assertEqual(values, ["sojourn.master.key"], unit)

    def test_the_newest_seven_copies_stay_whatever_the_clock_says(self):
        """A clock that runs ahead takes all of them for old."""
        command = re.search(r"(?m)^ExecStartPost=/bin/sh -c '(.*)'$", read("sojourn-backup.service"))
        names = [f"2026-11-{day:02}T031000Z" for day in range(1, 13)]
        others = ["notes", "2026-11-01", "2026-11-01T031000Z.txt"]
        for name, days in [*((name, 700) for name in names), *((name, 700) for name in others)]:
            path = os.path.join(self.folder, name)
            os.mkdir(path)
            self.write(os.path.join(name, "sojourn.db"), "")
            then = time.time() - days * 86400
            os.utime(path, (then, then))
        # One of the old ones is young.
        os.utime(os.path.join(self.folder, names[2]))
        for _ in range(2):
            subprocess.run(["/bin/sh", "-c", command.group(1)], check=True,
                           env={**os.environ, "COPIES": self.folder, "KEEP_DAYS": "14"})
            self.assertEqual(sorted(os.listdir(self.folder)), sorted([*names[5:], names[2], *others]))

    def test_units_come_after_the_time_is_synchronised(self):
        for unit in ["sojourn.service", "sojourn-backup.service"]:
            self.assertRegex(read(unit), r"(?m)^After=.*\btime-sync\.target$", unit)
            self.assertRegex(read(unit), r"(?m)^Wants=time-sync\.target$", unit)

    def test_the_kernel_may_be_asked_for_its_clock(self):
        unit = read("sojourn.service")
        self.assertRegex(unit, r"(?m)^SystemCallFilter=adjtimex$")
        self.assertNotRegex(unit, r"(?m)^ProtectClock=")

    def test_descriptors_are_enough_for_reports_of_their_own_too(self):
        """max-connections holds for each of listen and report-listen."""
        server = subprocess.Popen(
            [PROGRAM, "serve", "--data", os.path.join(self.folder, "data"),
             "--listen", "127.0.0.1:0", "--report-listen", "127.0.0.1:0",
             "--admin-listen", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512)))
        said = ""
        while said.count("listening on") < 3 and (line := server.stderr.readline()):
            said += line
        server.send_signal(signal.SIGTERM)
        said += server.communicate(timeout=60)[1]
        # It complains of so few, and says how many it needs.
        needed = re.search(r"only 512 descriptors .* needs (\d+)", said)
        self.assertIsNotNone(needed, said)
        limit = re.search(r"(?m)^LimitNOFILE=(\d+)$", read("sojourn.service"))
        self.assertGreaterEqual(int(limit.group(1)), int(needed.group(1)))

    def test_the_socket_unit_and_the_settings_have_the_same_addresses(self):
        config = json.loads(read("config.json"))
        config["data"] = os.path.join(self.folder, "data")
        path = self.write("config.json", json.dumps(config))
        done = subprocess.run([PROGRAM, "check-config", "--json", "--config", path],
                              capture_output=True, text=True, check=True)
        settings = json.loads(done.stdout)
        named = []
        for name in ["listen", "report-listen", "admin-listen"]:
            value = settings[name]["value"]
            named += [v for v in (value if isinstance(value, list) else [value]) if v != "off"]
        self.assertEqual(re.findall(r"(?m)^ListenStream=(.+)$", read("sojourn.socket")), named)


class Completions(Folder):
    """What the shell offers that most of us have."""

    @needs("bash")
    def test_bash_offers_settings_their_values_and_what_all_commands_share(self):
        script = subprocess.run([PROGRAM, "--generate-completion-script", "bash"],
                                capture_output=True, text=True, check=True).stdout
        path = self.write("sojourn.bash", script)
        for words, offered in [
                (["serve", "--max-h"], ["--max-header-bytes", "--max-header-fields"]),
                (["serve", "--listen", "127.0.0.1:1", "--li"], ["--listen"]),
                (["check-config", "--log-format", ""], ["text", "json"]),
                (["app", "list", "--da"], ["--data"])]:
            # bash itself gives the command, the word at the cursor and the one before it.
            done = subprocess.run(
                ["bash", "-c", 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                 'COMP_LINE=$*; COMP_POINT=${#COMP_LINE}; COMPREPLY=(); '
                 '_sojourn sojourn "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; '
                 'printf "%s\\n" "${COMPREPLY[@]}"', path, "sojourn", *words],
                capture_output=True, text=True, check=True)
            self.assertEqual([w for w in done.stdout.split() if w.startswith(words[-1])],
                             offered, words)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def poll(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    return None


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Proxied:
    """What holds of the server behind either example."""

    # How much of a body the proxy may keep until more of it comes.
    HELD_BACK = 0

    def setUp(self):
        super().setUp()
        self.devices, self.reports, self.http, self.https = (free_port() for _ in range(4))
        self.data = os.path.join(self.folder, "data")
        self.command("app", "add", "shop", "--allow-plain")
        self.ingest = self.command("token", "add", "--scope", "ingest", "--app", "shop")["token"]
        self.report = self.command("token", "add", "--scope", "report")["token"]
        self.server = self.proxy = None
        self.serve()
        self.start("127.0.0.0/8")

    def start(self, network):
        """The proxy.
        network: who may read reports."""
        if self.proxy is not None:
            self.end(self.proxy)
        self.proxy = self.start_proxy(network)
        self.addCleanup(self.end, self.proxy)
        self.assertTrue(poll(lambda: self.proxy.poll() is not None or answers(self.https)))
        self.assertIsNone(self.proxy.poll(), "the proxy has ended")

    def adapted(self, example, changes):
        """The example with changes, each of which has to meet something."""
        example = read(example)
        for pattern, value in changes:
            example, count = re.subn(pattern, value, example)
            self.assertGreater(count, 0, pattern)
        return example

    def command(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments, "--data", self.data, "--json"],
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def serve(self):
        log = open(os.path.join(self.folder, "sojourn.log"), "w", encoding="utf-8")
        self.server = subprocess.Popen(
            [PROGRAM, "serve", "--data", self.data, "--listen", f"127.0.0.1:{self.devices}",
             "--report-listen", f"127.0.0.1:{self.reports}", "--admin-listen", "off"], stderr=log)
        log.close()
        self.addCleanup(self.end, self.server)
        self.assertTrue(poll(lambda: answers(self.devices) and answers(self.reports)))

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(60)

    def connect(self, name="usage.example.com"):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        plain = socket.create_connection(("127.0.0.1", self.https), 60)
        self.addCleanup(plain.close)
        secure = context.wrap_socket(plain, server_hostname=name)
        self.addCleanup(secure.close)
        return secure

    def receive(self, connection):
        """Status, fields by lower-case name, body."""
        file = connection.makefile("rb")
        status = int(file.readline().split()[1])
        fields = {}
        while True:
            line = file.readline().decode().strip()
            if not line:
                break
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        body = file.read(int(fields["content-length"])) if "content-length" in fields else b""
        return status, fields, body

    def ask(self, method, path, host="usage.example.com", fields="", body=b""):
        connection = self.connect(host)
        connection.sendall(self.head(method, path, host, fields, len(body)) + body)
        return self.receive(connection)

    @staticmethod
    def head(method, path, host, fields, length):
        return (f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{fields}"
                f"Content-Length: {length}\r\n\r\n").encode()

    def batch_fields(self, token):
        return f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"

    @staticmethod
    def batch(name):
        return json.dumps({
            "batch_id": name, "resource": {"app.installation.id": "phone"},
            "events": [{"name": "app.tap", "time": int(time.time() * 1000)}]}).encode()

    PATH = "/v1/apps/shop/batches"

    def test_a_batch_goes_in_and_a_report_comes_out_each_by_its_own_name(self):
        status, _, body = self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                                   body=self.batch("b-1"))
        self.assertEqual((status, json.loads(body)["accepted"]), (200, 1))
        report = f"Authorization: Bearer {self.report}\r\n"
        path = "/report/active?app=shop"
        self.assertEqual(self.ask("GET", path, "reports.example.com", report)[0], 200)
        self.assertEqual(self.ask("GET", path, fields=report)[0], 404)
        self.assertEqual(self.ask("POST", self.PATH, "reports.example.com",
                                  self.batch_fields(self.ingest), self.batch("b-2"))[0], 404)
        for host in ["usage.example.com", "reports.example.com"]:
            for inner in ["/metrics", "/readyz", "/livez"]:
                self.assertEqual(self.ask("GET", inner, host)[0], 404, inner)

    def test_the_dashboard_stands_beside_the_reports_as_it_is(self):
        status, fields, body = self.ask("GET", "/", "reports.example.com")
        self.assertEqual((status, fields["content-type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("frame-ancestors 'none'", fields["content-security-policy"])
        self.assertRegex(fields["etag"], '^"[0-9a-f]+"$')
        packed = self.ask("GET", "/", "reports.example.com", "Accept-Encoding: gzip\r\n")
        self.assertEqual(packed[1]["content-encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed[2]), body)
        self.assertEqual(self.ask("GET", "/", "reports.example.com", "If-None-Match: "
                                  f"{fields['etag']}\r\n")[0], 304)
        self.assertEqual(self.ask("POST", "/", "reports.example.com")[0], 405)
        self.assertEqual(self.ask("GET", "/")[0], 404)
        self.assertEqual(self.ask("GET", "/index.html", "reports.example.com")[0], 404)

    def test_reports_are_for_their_network_only(self):
        self.start("192.0.2.0/24")
        report = f"Authorization: Bearer {self.report}\r\n"
        for path in ["/", "/report", "/report/active?app=shop"]:
            self.assertEqual(self.ask("GET", path, "reports.example.com", report)[0], 403, path)
        # Elsewhere there is nothing that the network could be asked for.
        for path in ["/metrics", "/readyz", self.PATH]:
            self.assertIn(self.ask("GET", path, "reports.example.com", report)[0], [403, 404], path)
        self.assertEqual(self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                                  body=self.batch("b-1"))[0], 200)

    def test_the_head_reaches_the_server_before_the_body_is_whole(self):
        """Else a batch would seem to arrive as late as it was slow."""
        self.end(self.server)
        with socket.create_server(("127.0.0.1", self.devices)) as listener:
            listener.settimeout(30)
            self.connect().sendall(self.head("POST", self.PATH, "usage.example.com", "", 100_000)
                                   + b"{" + b" " * self.HELD_BACK)
            upstream, _ = listener.accept()
            with upstream:
                upstream.settimeout(30)
                self.assertEqual(upstream.recv(4), b"POST")

    def test_what_is_too_large_is_refused_by_the_server_in_its_own_form(self):
        status, fields, body = self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                                        body=b" " * (1_500_000))
        self.assertEqual((status, json.loads(body)["code"]), (413, "body-too-large"))
        self.assertEqual(fields["content-type"], "application/problem+json")
        long = "X-Long: " + "x" * 15_000 + "\r\n"
        status, _, body = self.ask("POST", self.PATH, body=self.batch("b-1"),
                                   fields=self.batch_fields(self.ingest) + long)
        self.assertEqual(status, 200)

    def test_what_is_too_large_for_the_proxy_is_refused_in_the_same_form(self):
        """Else devices would take it for a 503, and send the same again for ever."""
        whole = b" " * 3_000_000
        head = self.head("POST", self.PATH, "usage.example.com", self.batch_fields(self.ingest),
                         len(whole))
        piece = b"%x\r\n" % 50_000 + whole[:50_000] + b"\r\n"
        chunked = head.replace(b"Content-Length: 3000000", b"Transfer-Encoding: chunked")
        self.assertNotEqual(chunked, head)
        own = json.loads(self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                                  body=b" " * 1_500_000)[2])
        self.assertTrue(own.pop("detail"))
        for request in [head + whole, chunked + piece * 60 + b"0\r\n\r\n"]:
            connection = self.connect()
            try:
                connection.sendall(request)
            except OSError:
                pass  # It is refused before it is whole.
            status, fields, body = self.receive(connection)
            self.assertEqual(status, 413, body)
            self.assertEqual(fields["content-type"], "application/problem+json")
            # The words may differ: the server has others for a body without a declared length.
            body = json.loads(body)
            self.assertTrue(body.pop("detail"))
            self.assertEqual(body, own)

    def test_when_to_come_again_is_passed_on_and_said_while_the_server_is_away(self):
        connection = self.connect()
        whole = self.batch("b-1")
        connection.sendall(self.head("POST", self.PATH, "usage.example.com",
                                     self.batch_fields(self.ingest), len(whole)) + whole[:-1])
        # The part has arrived once a request that was sent after it has been answered.
        self.assertEqual(self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                                  body=self.batch("b-2"))[0], 200)
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(60), 0)
        # Caddy keeps an answer that is early until the body is whole.
        connection.sendall(whole[-1:])
        status, fields, body = self.receive(connection)
        self.assertEqual((status, json.loads(body)["code"]), (503, "shutting-down"))
        self.assertGreater(int(fields["retry-after"]), 0)
        status, fields, body = self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                                        body=self.batch("b-3"))
        self.assertEqual((status, json.loads(body)["code"]), (503, "overloaded"))
        self.assertGreater(int(fields["retry-after"]), 0)
        self.assertEqual(fields["content-type"], "application/problem+json")
        self.serve()
        self.assertEqual(self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                                  body=self.batch("b-3"))[0], 200)


class Timeouts(Folder):
    """What is too slow is for the server to refuse."""

    def setUp(self):
        super().setUp()
        done = subprocess.run(
            [PROGRAM, "check-config", "--json", "--data", os.path.join(self.folder, "data")],
            capture_output=True, text=True, check=True)
        # Milliseconds.
        self.ours = {name: setting["value"] / 1000 for name, setting in
                     json.loads(done.stdout).items() if name.endswith("-timeout")}

    def seconds(self, example, name):
        return [int(value) for value in re.findall(rf"(?m)^\s*{name} (\d+)s;?$", read(example))]

    def test_of_nginx_are_longer(self):
        self.assertGreater(self.seconds("nginx.conf.example", "client_body_timeout")[0],
                           self.ours["body-timeout"])
        self.assertGreater(self.seconds("nginx.conf.example", "proxy_send_timeout")[0],
                           self.ours["body-timeout"])
        # A report may wait for sixteen rounds of four before it computes.
        self.assertGreater(self.seconds("nginx.conf.example", "proxy_read_timeout")[1],
                           17 * self.ours["report-timeout"])
        self.assertLess(self.seconds("nginx.conf.example", "keepalive_timeout")[0],
                        self.ours["idle-timeout"])

    def test_of_caddy_are_longer(self):
        self.assertGreater(self.seconds("Caddyfile.example", "read_body")[0],
                           self.ours["header-timeout"] + self.ours["body-timeout"])
        self.assertLess(self.seconds("Caddyfile.example", "keepalive")[0],
                        self.ours["idle-timeout"])


@needs("promtool")
class Alerts(unittest.TestCase):
    """Prometheus's own judgement of the alert rules."""

    def test_rules_are_what_prometheus_understands_and_do_what_they_should(self):
        for arguments in [["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]]:
            done = subprocess.run(["promtool", *arguments], capture_output=True, text=True,
                                  cwd=os.path.join(DEPLOY, "prometheus"))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


@needs("nginx")
@needs("openssl")
class Nginx(Proxied, Folder):
    """deploy/nginx.conf.example, with free ports and a certificate of its own."""

    # What is changed besides in some tests.
    changes = ()

    def is_away(self, status, fields, body):
        return ((status, json.loads(body)["code"]) == (503, "overloaded")
                and int(fields["retry-after"]) > 0
                and fields["content-type"] == "application/problem+json")

    def test_one_address_holds_so_many_connections_and_devices_are_told_when_to_come_again(self):
        self.changes = [(r"limit_conn sojourn_connections 256;",
                         "limit_conn sojourn_connections 3;")]
        self.start("127.0.0.0/8")
        whole = self.batch("b-1")
        head = self.head("POST", self.PATH, "usage.example.com", self.batch_fields(self.ingest),
                         len(whole))
        held = [self.connect() for _ in range(3)]
        for connection in held:
            connection.sendall(head + whole[:-1])
        # They count once their heads have been read.
        self.assertTrue(poll(lambda: self.is_away(*self.ask(
            "POST", self.PATH, fields=self.batch_fields(self.ingest), body=self.batch("b-2")))))
        for connection in held:
            connection.sendall(whole[-1:])
            status, _, body = self.receive(connection)
            self.assertEqual((status, json.loads(body)["accepted"]), (200, 1))
            connection.close()
        self.assertTrue(poll(lambda: self.ask(
            "POST", self.PATH, fields=self.batch_fields(self.ingest),
            body=self.batch("b-3"))[0] == 200))

    def test_one_address_asks_so_often_and_devices_are_told_when_to_come_again(self):
        self.changes = [(r"rate=100r/s", "rate=1r/m"), (r"burst=500 nodelay", "burst=2 nodelay")]
        self.start("127.0.0.0/8")
        told = [self.ask("POST", self.PATH, fields=self.batch_fields(self.ingest),
                         body=self.batch(f"b-{n}")) for n in range(4)]
        self.assertEqual([status for status, _, _ in told], [200, 200, 200, 503])
        self.assertTrue(self.is_away(*told[-1]), told[-1])

    def start_proxy(self, network):
        certificate, key = (os.path.join(self.folder, name) for name in ("c.pem", "c.key"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=usage.example.com", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        self.write("example.conf", self.adapted("nginx.conf.example", [
            (r"(?m)^ *listen \[::\]:.*\n", ""),
            (r"listen 80;", f"listen 127.0.0.1:{self.http};"),
            (r"listen 443 ", f"listen 127.0.0.1:{self.https} "),
            (r"ssl_certificate .*;", f"ssl_certificate {certificate};"),
            (r"ssl_certificate_key .*;", f"ssl_certificate_key {key};"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{self.devices}"),
            (r"127\.0\.0\.1:8081", f"127.0.0.1:{self.reports}"),
            (r"192\.0\.2\.0/24", network), *self.changes]))
        folders = "".join(f"{kind}_temp_path {self.folder}/{kind};\n" for kind in
                          ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        main = self.write("nginx.conf", f"""
daemon off;
pid {self.folder}/nginx.pid;
error_log {self.folder}/nginx.log;
events {{}}
http {{
{folders}access_log off;
include {self.folder}/example.conf;
}}
""")
        return subprocess.Popen(["nginx", "-p", self.folder, "-c", main],
                                stderr=subprocess.DEVNULL)


@needs("caddy")
class Caddy(Proxied, Folder):
    """deploy/Caddyfile.example, with free ports and certificates of its own making."""

    # Go's write buffer, 4 KiB, twice: a body as small as that is whole at once.
    HELD_BACK = 8192

    def start_proxy(self, network):
        path = self.write("Caddyfile", self.adapted("Caddyfile.example", [
            (r"(?m)^\{\n", "{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n"
                          f"\thttp_port {self.http}\n\thttps_port {self.https}\n"),
            (r"192\.0\.2\.0/24", network)]))
        home = {"HOME": self.folder, "XDG_DATA_HOME": self.folder, "XDG_CONFIG_HOME": self.folder}
        return subprocess.Popen(
            ["caddy", "run", "--config", path, "--adapter", "caddyfile"], stderr=subprocess.DEVNULL,
            env={**os.environ, **home, "USAGE_DEVICES": f"127.0.0.1:{self.devices}",
                 "USAGE_REPORTS": f"127.0.0.1:{self.reports}"})


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: suite.py PROGRAM [TEST…]")
    PROGRAM = os.path.abspath(sys.argv[1])
    runner.run("deploy", unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]), sys.argv[2:])
