#!/usr/bin/env python3
"""What deploy/cluster holds, tried with the programs it is for: cluster.py PROGRAM

Where systemd-analyze, nginx or clickhouse-server is not installed, the tests that need it are skipped by name.
`make cluster-check` tries all of it together.
"""
import contextlib
import http.client
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import types
import unittest
import urllib.error
import urllib.request
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "scripts", "cluster"), os.path.join(HERE, "..", "Support", "suites")]
import machine  # noqa: E402
import parts  # noqa: E402
import runner  # noqa: E402

PROGRAM = ""
XML = ["clickhouse/config.d/sojourn.xml", "clickhouse/config.d/replica.xml",
       "clickhouse/users.d/sojourn.xml"]


def read(name):
    with open(os.path.join(parts.DEPLOY, name), encoding="utf-8") as file:
        return file.read()


def needs(tool):
    return unittest.skipUnless(shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin"),
                               tool + " is not installed")


class Files(unittest.TestCase):
    """What can be known of the files without starting anything."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-deploy-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.config = json.loads(read("node/config.json"))

    def checked(self, config):
        path = parts.write(os.path.join(self.folder, "config.json"), json.dumps(config))
        return subprocess.run([PROGRAM, "check-config", "--json", "--config", path],
                              capture_output=True, text=True)

    def test_a_node_understands_its_settings(self):
        done = self.checked(self.config)
        self.assertEqual(done.returncode, 0, done.stderr)
        values = {name: setting["value"] for name, setting in json.loads(done.stdout).items()}
        for name, value in self.config.items():
            if name not in ["max-spool-bytes", "forward-to"]:
                self.assertEqual(values[name], value)
        self.assertEqual(len(values["forward-to"]), 2)

    def test_a_node_without_a_name_is_refused(self):
        del self.config["node"]
        self.assertEqual(self.checked(self.config).returncode, 78)

    def test_every_machine_is_in_the_table_of_the_readme(self):
        block = re.search(r"(?s)```\n(10\..*?)```", read("README.md")).group(1)
        table = {name: line.split()[0] for line in block.splitlines() for name in line.split()[1:]}
        named = set(re.findall(r"(?:node|keeper|engine)-\w+", "".join(
            read(name) for name in ["nginx.conf", "zookeeper/zoo.cfg", "node/config.json", *XML])))
        self.assertEqual(named | set(machine.NODES), set(table))
        self.assertEqual({name for shard in machine.SHARDS for name in shard},
                         {name for name in table if name.startswith("engine-")})
        self.assertEqual(re.findall(r"<ip>(10\..*?)</ip>", read("clickhouse/users.d/sojourn.xml")),
                         [table[name] for name in machine.NODES])
        self.assertEqual(self.config["listen"], [table["node-1"] + ":8080"])
        self.assertEqual(self.config["report-listen"], [table["node-1"] + ":8081"])

    def test_every_file_is_in_the_readme(self):
        said = read("README.md")
        for folder, _, files in os.walk(parts.DEPLOY):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), parts.DEPLOY)
                if path != "README.md":
                    self.assertIn(f"| `{path}` | `/etc/", said, path)

    def test_the_engines_files_are_well_formed_and_of_one_root(self):
        for name in XML:
            root = xml.etree.ElementTree.fromstring(read(name))
            self.assertEqual(root.tag, "yandex", name)

    def test_who_has_no_password_comes_from_the_same_machine(self):
        users = xml.etree.ElementTree.fromstring(read("clickhouse/users.d/sojourn.xml"))
        networks = users.find("users/default/networks")
        self.assertEqual(networks.get("replace"), "replace")
        self.assertEqual([ip.text for ip in networks], ["127.0.0.1", "::1"])
        self.assertEqual([d.text for d in users.findall("users/sojourn/allow_databases/database")],
                         ["sojourn"])

    def test_a_missing_password_stops_no_node(self):
        """Only a name, not a path, may be missing (systemd.exec, LoadCredential=)."""
        self.assertEqual(re.findall(r"(?m)^LoadCredential=(.+)$", read("node/cluster.conf")),
                         ["forward-password:sojourn.forward-password"])

    @needs("systemd-analyze")
    def test_drop_ins_are_what_systemd_understands(self):
        with open(os.path.join(parts.DEPLOY, "..", "sojourn.service"), encoding="utf-8") as file:
            unit = file.read().replace("/usr/bin/sojourn", PROGRAM)
        engine = "[Service]\nExecStart=/bin/true\n"
        for service, text, drop in [("sojourn", unit, "node/cluster.conf"),
                                    ("clickhouse-server", engine, "clickhouse/restart.conf")]:
            path = parts.write(os.path.join(self.folder, service + ".service"), text)
            name = os.path.join(self.folder, service + ".service.d", os.path.basename(drop))
            for content, finds in [(read(drop), False), (read(drop) + "Restart=perhaps\n", True)]:
                parts.write(name, content)
                done = subprocess.run(["systemd-analyze", "verify", "--man=no", path],
                                      capture_output=True, text=True,
                                      env={**os.environ, "SYSTEMD_UNIT_PATH": self.folder + ":"})
                said = [line for line in (done.stdout + done.stderr).splitlines()
                        if os.path.basename(drop) in line]
                # That the second one is found shows that drop-ins are looked at.
                self.assertEqual(bool(said), finds, said)


@needs("clickhouse-server")
class Engine(unittest.TestCase):
    """A server with these files beside Debian's own."""

    @classmethod
    def setUpClass(cls):
        cls.machine = machine.Machine()
        cls.addClassCleanup(cls.machine.stop)
        # Nobody is there: what needs no replicas works all the same.
        cls.machine.start_engine("engine-2a", parts.free_ports(1)[0])
        cls.machine.parts[0].wait()
        # As Debian's user without a password, who may come from here.
        urllib.request.urlopen(f"http://127.0.0.1:{cls.machine.engines['engine-2a']}/",
                               b"CREATE DATABASE default_is_let_in").close()
        request = urllib.request.Request(
            f"http://127.0.0.1:{cls.machine.engines['engine-2a']}/", b"CREATE DATABASE sojourn",
            {"X-ClickHouse-User": "sojourn", "X-ClickHouse-Key": cls.machine.password})
        urllib.request.urlopen(request).close()

    def ask(self, statement):
        return self.machine.query("engine-2a", statement)

    def test_nodes_have_their_database_and_no_other(self):
        self.ask("CREATE TABLE t (x UInt8) ENGINE = Memory")
        self.assertEqual(self.ask("SELECT count() FROM t"), "0\n")
        for statement in ["CREATE DATABASE other", "CREATE TABLE default.t (x UInt8) ENGINE = Memory"]:
            with self.assertRaises(urllib.error.HTTPError) as caught:
                self.ask(statement)
            self.assertIn(b"Access denied", caught.exception.read())

    def test_the_password_is_asked_for(self):
        address = f"http://127.0.0.1:{self.machine.engines['engine-2a']}/?user=sojourn&query=SELECT+1"
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(address)

    def test_a_server_knows_its_own_name(self):
        self.assertEqual(self.ask("SELECT * FROM system.macros"), "replica\tengine-2a\n")


class Stub(http.server.ThreadingHTTPServer):
    """A node that answers all alike, and counts."""
    daemon_threads = True

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.server.asked += 1
                self.send_response(self.server.status)
                self.send_header("Content-Length", "0")
                if self.server.status == 503:
                    self.send_header("Retry-After", "7")
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *words):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.status = 0, 200
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def end(self):
        self.shutdown()
        self.server_close()


@needs("nginx")
class Nginx(unittest.TestCase):
    """nginx.conf before three stubs, which stand for devices and reports of three nodes."""

    def setUp(self):
        self.machine = machine.Machine()
        self.addCleanup(self.machine.stop)
        self.stubs = [Stub() for _ in machine.NODES]
        self.addCleanup(lambda: [stub.end() for stub in self.stubs])
        self.machine.nodes = [
            types.SimpleNamespace(name=name, devices=stub.port, reports=stub.port)
            for name, stub in zip(machine.NODES, self.stubs)]
        self.machine.start_nginx()
        self.machine.parts[0].wait()

    def ask(self, path, method="POST", reports=False, body=b"x" * 3000):
        """Status, and after how many seconds to come again."""
        port = self.machine.reports if reports else self.machine.devices
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, 30)) as connection:
            connection.request(method, path, body if method == "POST" else None)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.getheader("Retry-After")

    def test_batches_go_to_all_nodes_and_reports_to_any(self):
        for _ in range(30):
            self.assertEqual(self.ask("/v1/apps/shop/batches")[0], 200)
        self.assertEqual([stub.asked for stub in self.stubs], [10, 10, 10])
        for _ in range(3):
            self.assertEqual(self.ask("/report/active", "GET", reports=True)[0], 200)
        self.assertEqual([stub.asked for stub in self.stubs], [11, 11, 11])

    def test_a_node_that_is_away_is_not_noticed(self):
        self.stubs.pop(1).end()
        for _ in range(20):
            self.assertEqual(self.ask("/v1/apps/shop/batches")[0], 200)
            self.assertEqual(self.ask("/report/active", "GET", reports=True)[0], 200)
        self.assertEqual([stub.asked for stub in self.stubs], [20, 20])

    def test_a_nodes_own_answer_goes_out_as_it_is(self):
        for stub in self.stubs:
            stub.status = 503
        self.assertEqual(self.ask("/v1/apps/shop/batches"), (503, "7"))
        self.assertEqual(sum(stub.asked for stub in self.stubs), 1)

    def test_while_all_are_away_devices_are_told_when_to_come_again(self):
        while self.stubs:
            self.stubs.pop().end()
        self.assertEqual(self.ask("/v1/apps/shop/batches"), (503, "5"))

    def test_one_source_of_logs_comes_to_one_node(self):
        for _ in range(9):
            self.assertEqual(self.ask("/v1/logs")[0], 200)
        self.assertEqual(sorted(stub.asked for stub in self.stubs), [0, 0, 9])

    def test_nothing_else_is_reached(self):
        for path in ["/metrics", "/readyz", "/report/active", "/"]:
            self.assertEqual(self.ask(path, "GET")[0], 404, path)
        for path in ["/metrics", "/readyz", "/v1/apps/shop/batches"]:
            self.assertEqual(self.ask(path, "GET", reports=True)[0], 404, path)
        self.assertEqual([stub.asked for stub in self.stubs], [0, 0, 0])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: cluster.py PROGRAM [TEST…]")
    PROGRAM = os.path.abspath(sys.argv[1])
    runner.run("cluster", unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]), sys.argv[2:])
