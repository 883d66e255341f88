"""ZooKeeper, four engines, three nodes and nginx on 127.0.0.1, by the files of deploy/cluster."""
import hashlib
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from parts import DEPLOY, Failure, Part, PROGRAM, adapted, free_ports, install, listens, write

SHARDS = [["engine-1a", "engine-1b"], ["engine-2a", "engine-2b"]]
NODES = ["node-1", "node-2", "node-3"]
APP, KEY, ZONE = "demo", "demo-key", "Europe/Berlin"


class Node(Part):
    """A Sojourn, of the cluster or alone."""

    def __init__(self, name, folder, master, settings):
        """master: the master key, which all nodes share."""
        self.devices, self.reports, self.admin = free_ports(3)
        # Whether an answer has said how far it is complete.
        self.complete = False
        config = {**settings, "data": os.path.join(folder, "data"),
                  "listen": [f"127.0.0.1:{self.devices}"],
                  "report-listen": [f"127.0.0.1:{self.reports}"],
                  "admin-listen": f"127.0.0.1:{self.admin}"}
        path = write(os.path.join(folder, "config.json"), json.dumps(config, indent=2) + "\n")
        os.makedirs(config["data"], mode=0o700)
        write(os.path.join(config["data"], "master.key"), master, 0o600)
        super().__init__(name, folder, [PROGRAM, "serve"],
                         lambda: listens(self.devices) and listens(self.reports),
                         {"SOJOURN_CONFIG": path})

    def sojourn(self, *arguments):
        """The object that a command prints."""
        done = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True,
                              env=self.environment)
        if done.returncode:
            raise Failure(f"sojourn {' '.join(arguments)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def make_tables(self):
        """Again where an engine was not as far, as a busy machine's is at its start: that is harmless."""
        for _ in range(9):
            try:
                return self.sojourn("migrate", "--engine")
            except Failure:
                time.sleep(1)
        return self.sojourn("migrate", "--engine")

    def add_app(self, secret):
        """The app that devices post to; its key is the one in the file.
        Returns a token for reports."""
        self.sojourn("app", "add", APP, "--name", "Demo", "--time-zone", ZONE)
        self.sojourn("key", "add", "--app", APP, "--profile", "aes128gcm", "--id", KEY,
                     "--secret-file", secret)
        return self.sojourn("token", "add", "--scope", "report", "--app", APP)["token"]

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=30) as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[1])
        raise Failure(f"{self.name} has no {name}")

    def ask(self, path, token):
        """Status, fields and body of a request to the reports; status 0 where nothing came."""
        for _ in range(100):
            status, fields, body = self.ask_once(path, token)
            if status != 503 or b'"code":"overloaded"' not in body:
                break
            time.sleep(0.5)
        return status, fields, body

    def ask_once(self, path, token):
        request = urllib.request.Request(f"http://127.0.0.1:{self.reports}{path}",
                                         headers={"Authorization": "Bearer " + token})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()
        except (OSError, http.client.HTTPException) as error:
            return 0, {}, str(error).encode()


class Machine:
    """The cluster, in a temporary folder that goes with it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sojourn-cluster-")
        # nginx gives up root's rights for its workers.
        os.chmod(self.folder, 0o755)
        self.parts = []
        self.master, self.password = secrets.token_bytes(32), secrets.token_urlsafe(24)
        self.secret = write(self.path("phone.secret"), secrets.token_hex(32), 0o600)
        write(self.path("forward-password"), self.password + "\n", 0o600)
        self.engines, self.nodes = {}, []
        self.token = None

    def query(self, engine, statement):
        """What an engine's server says to a statement, as text."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.engines[engine]}/?database=sojourn", statement.encode(),
            {"X-ClickHouse-User": "sojourn", "X-ClickHouse-Key": self.password})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read().decode()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def begin(self, part):
        self.parts.append(part)
        return part.start()

    def start(self, say=lambda text: None):
        """Everything, in the order that docs/scale.md has."""
        say("ZooKeeper and four engines")
        keeper = self.start_keeper().wait()
        for shard in SHARDS:
            for name in shard:
                self.start_engine(name, keeper.port)
        for part in self.parts:
            part.wait()
        say("three nodes and nginx")
        self.nodes = [self.node(name) for name in NODES]
        first = self.nodes[0]
        first.make_tables()
        self.token = first.add_app(self.secret)
        for node in self.nodes:
            self.begin(node)
        self.start_nginx()
        for part in self.parts:
            part.wait()
        for node in self.nodes:
            self.wait(lambda node=node: node.ask(f"/report/active?app={APP}", self.token)[0] == 200,
                      30, f"{node.name} does not answer reports")

    def wait(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            self.all_run()
            if time.monotonic() > end:
                raise Failure(f"{what} after {seconds} s")
            time.sleep(0.2)

    def all_run(self):
        for part in self.parts:
            if part.process.poll() is not None:
                raise Failure(f"{part.name} ended with {part.process.returncode}: {part.tail()}")

    def start_keeper(self):
        folder, (port,) = self.path("keeper"), free_ports(1)
        config = write(os.path.join(folder, "zoo.cfg"), adapted(
            "zookeeper/zoo.cfg", (r"(?m)^server\..*\n", ""),
            (r"dataDir=.*", f"dataDir={folder}/data"),
            (r"clientPort=.*", f"clientPort={port}\nclientPortAddress=127.0.0.1")))
        part = Part("keeper-1", folder, [
            "java", "-Xmx256m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
            "/usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar",
            "org.apache.zookeeper.server.quorum.QuorumPeerMain", config], lambda: listens(port))
        part.port = port
        return self.begin(part)

    def start_engine(self, name, keeper=None, more=""):
        """Debian's own configuration with the files of deploy/cluster beside it.
        keeper: ZooKeeper's port; more: what else is in its configuration."""
        folder = self.path(name)
        http, tcp, between = free_ports(3)
        for file in ["config.xml", "users.xml"]:
            with open("/etc/clickhouse-server/" + file, encoding="utf-8") as source:
                write(os.path.join(folder, file), source.read())
        write(os.path.join(folder, "config.d", "sojourn.xml"), adapted(
            "clickhouse/config.d/sojourn.xml", (r'(?m)^ *<node index="[23]">.*\n', ""),
            (r"<host>.*?</host><port>\d+</port>",
             f"<host>127.0.0.1</host><port>{keeper}</port>") if keeper else
            (r"(?s)<zookeeper .*?</zookeeper>", "")))
        write(os.path.join(folder, "config.d", "replica.xml"), adapted(
            "clickhouse/config.d/replica.xml", (r"(?m)^ *<listen_host>engine-1a.*\n", ""),
            (r"<interserver_http_host>engine-1a", "<interserver_http_host>127.0.0.1"),
            (r"<replica>engine-1a", f"<replica>{name}")))
        write(os.path.join(folder, "users.d", "sojourn.xml"), adapted(
            "clickhouse/users.d/sojourn.xml", (r"(?m)^ *<ip>10\..*\.1[23]</ip>\n", ""),
            (r"<ip>10\..*</ip>", "<ip>127.0.0.1</ip>"),
            (r"0{64}", hashlib.sha256(self.password.encode()).hexdigest())))
        write(os.path.join(folder, "config.d", "here.xml"), f"""<?xml version="1.0"?>
<yandex>
    <logger replace="replace"><level>warning</level><console>1</console></logger>
    <http_port>{http}</http_port>
    <tcp_port>{tcp}</tcp_port>
    <interserver_http_port>{between}</interserver_http_port>
    <path>{folder}/data/</path>
    <tmp_path>{folder}/data/tmp/</tmp_path>
    <user_files_path>{folder}/data/user_files/</user_files_path>
    <mark_cache_size>268435456</mark_cache_size>
    <uncompressed_cache_size>0</uncompressed_cache_size>
{more}</yandex>
""")
        self.engines[name] = http
        return self.begin(Part(name, folder, ["/usr/sbin/clickhouse-server",
                                              f"--config-file={folder}/config.xml"],
                               lambda: listens(http) and listens(between)))

    def node(self, name):
        with open(os.path.join(DEPLOY, "node", "config.json"), encoding="utf-8") as file:
            settings = json.load(file)
        settings["node"] = name
        settings["forward-password-file"] = self.path("forward-password")
        settings["forward-to"] = self.shards(settings["forward-to"])
        return Node(name, self.path(name), self.master, self.adapted(name, settings))

    def shards(self, given):
        """The engines of this machine for those of a file."""
        return [re.sub(r"(engine-\w+):8123", lambda m: f"127.0.0.1:{self.engines[m.group(1)]}", shard)
                for shard in given]

    def adapted(self, name, settings):
        """A node's settings as they are to be here."""
        return settings

    def alone(self):
        """A single node with the same master key."""
        return Node("single", self.path("single"), self.master, {})

    def start_nginx(self):
        folder = self.path("nginx")
        self.devices, self.reports, plain = free_ports(3)
        changes = [
            (r"(?m)^ *listen \[::\]:.*\n", ""), (r"(?m)^ *ssl_.*\n", ""),
            (r"listen 80;", f"listen 127.0.0.1:{plain};"),
            # Devices first, people after them. Without TLS, since both are told apart by their ports.
            (r"(?s)listen 443 ssl http2;(.*)listen 443 ssl http2;",
             f"listen 127.0.0.1:{self.devices};\\1listen 127.0.0.1:{self.reports};"),
            (r"192\.0\.2\.0/24", "127.0.0.0/8"),
            # All simulated devices have one address.
            (r"rate=100r/s", "rate=100000r/s")]
        for node in self.nodes:
            changes += [(node.name + ":8080", f"127.0.0.1:{node.devices}"),
                        (node.name + ":8081", f"127.0.0.1:{node.reports}")]
        write(os.path.join(folder, "sojourn.conf"), adapted("nginx.conf", *changes))
        kept = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in
                       ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        main = write(os.path.join(folder, "nginx.conf"), f"""daemon off;
pid {folder}/nginx.pid;
error_log {folder}/log warn;
events {{}}
http {{
{kept}    access_log off;
    include {folder}/sojourn.conf;
}}
""")
        self.begin(Part("nginx", folder, ["/usr/sbin/nginx", "-p", folder, "-c", main,
                                          "-e", f"{folder}/log"],
                        lambda: listens(self.devices) and listens(self.reports)))

    def stop(self):
        """Ends what was started, each by its own process id: nodes before the engines that they hand over to. What
        is left of it then goes with the folder, so nobody waits long."""
        kinds = [lambda part: part.name == "nginx" or isinstance(part, Node),
                 lambda part: part.name in self.engines, lambda part: True]
        for kind in kinds:
            group = [part for part in self.parts if kind(part)]
            for part in group:
                part.end()
            for part in group:
                part.wait_end(10)
        shutil.rmtree(self.folder, ignore_errors=True)


def interrupted(number, frame):
    raise KeyboardInterrupt


def with_machine(work, make=Machine):
    """Has work done with a machine that it has to start, and ends that, however it went. Returns the exit status."""
    for number in [signal.SIGINT, signal.SIGTERM]:
        signal.signal(number, interrupted)
    machine = None
    try:
        install()
        machine = make()
        return work(machine)
    except KeyboardInterrupt:
        return 130
    except Failure as failure:
        print(f"sojourn: {failure}", file=sys.stderr)
        return 1
    finally:
        if machine is not None:
            # A second Ctrl-C is for what is being ended, not for its ending.
            for number in [signal.SIGINT, signal.SIGTERM]:
                signal.signal(number, signal.SIG_IGN)
            machine.stop()
