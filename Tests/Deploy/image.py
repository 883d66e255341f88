#!/usr/bin/env python3
"""Starts the image as a container and uses it: image.py IMAGE (root, buildah, crun, curl, nsenter)

IMAGE is what `buildah build --format docker` has made, in storage of the driver STORAGE_DRIVER (vfs
unless set). What a container engine would do with it is done here with crun: the image's user,
environment, command and health check, a read-only root, no capability, a network of its own, and a
volume. A batch goes in, a report comes out, also after a restart on the same volume.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LARGEST = 120_000_000
BUILDAH = ["buildah", "--storage-driver", os.environ.get("STORAGE_DRIVER", "vfs")]
# Without cgroups: they are not what is tried here, and a machine may have mixed versions of them.
CRUN = ["crun", "--cgroup-manager=disabled"]


def run(*arguments, check=True, **more):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, **more)
    if check and done.returncode != 0:
        sys.exit(f"image: {' '.join(arguments[:6])} …: {done.returncode} "
                 f"{done.stderr.strip() or done.stdout.strip()}")
    return done


def expect(holds, what):
    if not holds:
        sys.exit("image: " + what)
    print("ok  " + what, flush=True)


class Image:
    def __init__(self, name):
        self.container = run(*BUILDAH, "from", name).stdout.strip()
        self.root = run(*BUILDAH, "mount", self.container).stdout.strip()
        found = json.loads(run(*BUILDAH, "inspect", "--type", "image", name).stdout)
        self.config = found["Docker"]["config"]
        # Unpacked, as the layers together have it.
        self.size = int(run("du", "--summarize", "--apparent-size", "--block-size=1",
                            self.root).stdout.split()[0])

    def close(self):
        run(*BUILDAH, "rm", self.container, check=False)


class Container:
    """The image as it is started, on a folder that stands for its volume."""

    def __init__(self, image, folder, user):
        self.image, self.folder, self.user = image, folder, user
        self.name = f"sojourn-try-{os.getpid()}"
        self.bundle = os.path.join(folder, "bundle")
        os.makedirs(self.bundle, exist_ok=True)
        with open(os.path.join(self.bundle, "config.json"), "w", encoding="utf-8") as file:
            json.dump(self.specification(), file)
        self.log = open(os.path.join(folder, "log"), "a", encoding="utf-8")
        self.process = subprocess.Popen([*CRUN, "run", "--bundle", self.bundle, self.name],
                                        stdout=self.log, stderr=self.log)

    def specification(self):
        nothing = {kind: [] for kind in ("bounding", "effective", "permitted", "inheritable")}
        config = self.image.config
        return {
            "ociVersion": "1.0.0",
            "process": {
                "user": {"uid": self.user, "gid": self.user}, "cwd": "/",
                "args": config["Entrypoint"] + config["Cmd"], "env": config["Env"],
                "capabilities": nothing, "noNewPrivileges": True,
                "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 16384, "soft": 16384}]},
            "root": {"path": self.image.root, "readonly": True},
            "mounts": [
                {"destination": "/proc", "type": "proc", "source": "proc"},
                {"destination": "/dev", "type": "tmpfs", "source": "tmpfs",
                 "options": ["nosuid", "mode=755", "size=64k"]},
                {"destination": list(config["Volumes"])[0], "type": "bind", "options": ["rbind"],
                 "source": os.path.join(self.folder, "volume")}],
            "linux": {"namespaces": [{"type": kind} for kind in
                                     ("pid", "mount", "ipc", "uts", "network")]}}

    def execute(self, *arguments, check=True):
        """As `docker exec` does it: with the image's user and environment."""
        return run(*CRUN, "exec", "--user", f"{self.user}:{self.user}",
                   *(f"--env={pair}" for pair in self.image.config["Env"]), self.name, *arguments,
                   check=check)

    def is_healthy(self):
        return self.execute(*self.image.config["Healthcheck"]["Test"][1:], check=False).returncode

    def wait_until_healthy(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.is_healthy() == 0:
                return True
            time.sleep(0.05)
        return False

    def curl(self, *arguments):
        """From within the container's network, which nothing else reaches."""
        return run("nsenter", "--target", str(self.pid()), "--net", "curl", "--silent",
                   "--show-error", "--max-time", "30", *arguments).stdout

    def pid(self):
        return json.loads(run(*CRUN, "state", self.name).stdout)["pid"]

    def stop(self):
        """What it ends with."""
        run(*CRUN, "kill", self.name, "TERM", check=False)
        return self.process.wait(60)


def use(container):
    expect(container.wait_until_healthy(), "it is healthy by its own HEALTHCHECK")
    status = container.execute("cat", "/proc/1/status").stdout
    expect(all(f"Cap{kind}:\t0000000000000000" in status for kind in ("Prm", "Eff", "Bnd"))
           and f"Uid:\t{container.user}\t" in status, "it runs as its own user, without capability")
    touched = container.execute("touch", "/usr/x", "/tmp/x", check=False)
    expect(touched.stderr.count("Read-only file system") == 2, "its root is read-only")
    container.execute("sojourn", "app", "add", "shop", "--allow-plain")
    tokens = {scope: json.loads(container.execute(
        "sojourn", "token", "add", "--scope", scope, "--app", "shop", "--json").stdout)["token"]
        for scope in ("ingest", "report")}
    batch = json.dumps({
        "batch_id": "hello-1", "resource": {"app.installation.id": "phone", "os.name": "iOS"},
        "events": [{"name": "session.start", "time": int(time.time() * 1000),
                    "attributes": {"session.id": "s-1"}}]})
    answer = json.loads(container.curl(
        "--header", "Authorization: Bearer " + tokens["ingest"],
        "--header", "Content-Type: application/json", "--data", batch,
        "http://127.0.0.1:8080/v1/apps/shop/batches"))
    expect(answer == {"batch_id": "hello-1", "duplicate": False, "accepted": 1, "rejected": 0},
           "a batch is accepted")
    return tokens["report"]


def report(container, token):
    return container.curl("--header", "Authorization: Bearer " + token,
                          "http://127.0.0.1:8080/report/platforms?app=shop&format=csv")


def stopped_is_unhealthy(container):
    process = container.pid()
    os.kill(process, signal.SIGSTOP)
    try:
        code = container.is_healthy()
    finally:
        os.kill(process, signal.SIGCONT)
    expect(code != 0, f"a process that stands still is unhealthy ({code})")
    expect(container.wait_until_healthy(), "and healthy again when it goes on")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: image.py IMAGE")
    if os.environ.get("IMAGE_NAMESPACE") != "own":
        # A mount namespace of its own, where cgroups are of one version: crun wants that.
        os.environ["IMAGE_NAMESPACE"] = "own"
        os.execvp("unshare", ["unshare", "--mount", "sh", "-c",
                              'mount -t cgroup2 none /sys/fs/cgroup && exec "$@"', "sh",
                              sys.executable, *sys.argv])
    image = Image(sys.argv[1])
    folder = tempfile.mkdtemp(prefix="sojourn-image-")
    try:
        expect(image.config.get("Healthcheck"),
               "it has a HEALTHCHECK, which only the form of `--format docker` can hold")
        expect(image.size < LARGEST, f"it has {image.size / 1e6:.0f} MB, fewer than 120")
        name = image.config["User"]
        with open(os.path.join(image.root, "etc/passwd"), encoding="utf-8") as file:
            user = next(int(line.split(":")[2]) for line in file if line.startswith(name + ":"))
        volume = os.path.join(folder, "volume")
        os.mkdir(volume, 0o700)
        os.chown(volume, user, user)
        container = Container(image, folder, user)
        try:
            token = use(container)
            before = report(container, token)
            expect(before.splitlines()[1].startswith("iOS,1,"), "a report comes out")
            stopped_is_unhealthy(container)
            expect(container.stop() == 0, "SIGTERM ends it with 0")
            container = Container(image, folder, user)
            expect(container.wait_until_healthy(), "it starts again on its volume")
            expect(report(container, token) == before, "the report is the same")
        finally:
            container.stop()
        with open(container.log.name, encoding="utf-8") as file:
            print(file.read(), end="")
        print("the image was started, used, stopped and started again")
    finally:
        image.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
