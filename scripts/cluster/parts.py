"""What a cluster on one machine is made of: processes that end with this one, free ports, files of deploy/cluster."""
import ctypes
import os
import random
import re
import signal
import socket
import subprocess
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DEPLOY = os.path.join(ROOT, "deploy", "cluster")
PROGRAM = os.environ.get("CLUSTER_PROGRAM") or os.path.join(ROOT, ".build", "release", "sojourn")
PACKAGES = {
    "/usr/sbin/clickhouse-server": "clickhouse-server",
    "/usr/share/java/zookeeper.jar": "zookeeper",
    "/usr/bin/java": "default-jre-headless",
    "/usr/sbin/nginx": "nginx",
}


class Failure(Exception):
    """What went wrong, in a line for people."""


def install():
    """Brings Debian's packages that are not there."""
    install_package(*[package for path, package in PACKAGES.items() if not os.path.exists(path)])


def install_package(*names):
    """Brings these of Debian's packages, unless what they are for is there."""
    there = {package for path, package in PACKAGES.items() if os.path.exists(path)}
    missing = [name for name in names if name not in there]
    if missing and subprocess.run([os.path.join(ROOT, "scripts", "install.sh"), *missing]).returncode:
        raise Failure("cannot go on without " + " ".join(missing))


def free_ports(count):
    """Ports of the loopback interface that nobody has, all different. None is of those that the kernel gives to
    outgoing connections, so each is still free when who listens there is started again."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        end = int(file.read().split()[0])
    sockets = []
    try:
        while len(sockets) < count:
            one = socket.socket()
            sockets.append(one)
            try:
                one.bind(("127.0.0.1", random.SystemRandom().randrange(10_000, end)))
            except OSError:
                sockets.pop().close()
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def adapted(name, *changes):
    """A file of deploy/cluster with changes, each of which has to meet something."""
    with open(os.path.join(DEPLOY, name), encoding="utf-8") as file:
        text = file.read()
    for pattern, value in changes:
        text, count = re.subn(pattern, value, text)
        if count == 0:
            raise Failure(f"deploy/cluster/{name} has no {pattern}")
    return text


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, mode)
    with open(descriptor, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


LIBC = ctypes.CDLL(None)


def end_with_parent():
    """The kernel ends a process when the thread that started it is gone, however that went."""
    LIBC.prctl(1, signal.SIGTERM)


class Part:
    """A process of the cluster, with a log of its own."""

    def __init__(self, name, folder, line, ready, environment=None):
        """line: how it is started; ready: whether it does its work."""
        self.name, self.folder, self.line, self.ready = name, folder, line, ready
        # The caller's own settings are for another server.
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("SOJOURN_")} | (environment or {})
        self.log = os.path.join(folder, "log")
        self.process = None

    def start(self):
        os.makedirs(self.folder, exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.line, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                env=self.environment, start_new_session=True, preexec_fn=end_with_parent)
        return self

    def wait(self, seconds=60):
        """Until it is ready."""
        end = time.monotonic() + seconds
        while not self.ready():
            if self.process.poll() is not None:
                raise Failure(f"{self.name} ended with {self.process.returncode}: {self.tail()}")
            if time.monotonic() > end:
                raise Failure(f"{self.name} was not ready within {seconds} s: {self.tail()}")
            time.sleep(0.1)
        return self

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return " | ".join(log.read().splitlines()[-5:]) or "its log is empty"

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """As a crash would."""
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait_end(self, seconds):
        """Kills it after so long."""
        if self.process is None:
            return
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
