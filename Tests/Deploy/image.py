#!/usr/bin/env python3
"""Starts the image as a container and uses it: image.py IMAGE (root, buildah, crun, curl, nsenter)

IMAGE is what `buildah build --format docker` has made, in storage of the driver STORAGE_DRIVER (vfs
unless set). What a container engine would do with it is done here with crun: the image's user,
environment, command and health check, a read-only root, no capability, a network of its own, and a
volume for the data and one for copies. A batch goes in, a report comes out, also after a restart on the
same volume, and from a copy on a volume of its own.
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


def volume(folder, name, user):
    """A folder that stands for a volume: an engine gives it the owner that the image has there."""
    path = os.path.join(folder, name)
    os.mkdir(path, 0o700)
    os.chown(path, user, user)
    return path


class Container:
    """The image as it is started."""

    def __init__(self, image, folder, user, data, command=None):
        self.image, self.folder, self.user, self.data = image, folder, user, data
        self.command = command or image.config["Cmd"]
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
                "args": config["Entrypoint"] + self.command, "env": config["Env"],
                "capabilities": nothing, "noNewPrivileges": True,
                "rlimits": [{"type": "RLIMIT_NOFILE", "hard": 16384, "soft": 16384}]},
            "root": {"path": self.image.root, "readonly": True},
            "mounts": [
                {"destination": "/proc", "type": "proc", "source": "proc"},
                {"destination": "/dev", "type": "tmpfs", "source": "tmpfs",
                 "options": ["nosuid", "mode=755", "size=64k"]},
                {"destination": list(config["Volumes"])[0], "type": "bind", "options": ["rbind"],
                 "source": self.data},
                {"destination": "/backups", "type": "bind", "options": ["rbind"],
                 "source": os.path.join(self.folder, "backups")}],
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


def copies(container, folder, user):
    """`docker exec … sojourn backup`: the copy is on the volume, and elsewhere there is no place."""
    container.execute("sojourn", "backup", "/backups/first")
    made = os.path.join(folder, "backups", "first")
    expect(sorted(os.listdir(made)) == ["erased", "manifest.json", "sojourn.db"]
           and all(os.stat(os.path.join(made, name)).st_uid == user for name in os.listdir(made)),
           "a copy is on the volume of copies, without the key")
    refused = [container.execute("sojourn", "backup", place, check=False).returncode
               for place in ("/data/copy", "/tmp/copy", "/copy")]
    expect(refused == [73, 73, 73], f"elsewhere it is refused {refused}")


def comes_back(image, folder, user, token, before):
    """The copy and the key, on a volume of their own."""
    data = volume(folder, "again", user)
    key = os.path.join(data, "master.key")
    shutil.copyfile(os.path.join(folder, "volume", "master.key"), key)
    os.chmod(key, 0o600)
    os.chown(key, user, user)
    restoring = Container(image, folder, user, data, ["restore", "/backups/first"])
    expect(restoring.process.wait(60) == 0, "the copy is restored by a container of its own")
    container = Container(image, folder, user, data)
    try:
        expect(container.wait_until_healthy(), "a container starts on it")
        expect(report(container, token) == before, "the report is the same")
    finally:
        container.stop()


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
        for path in ("data", "backups"):
            place = os.stat(os.path.join(image.root, path))
            expect((place.st_uid, place.st_mode & 0o777) == (user, 0o700),
                   f"/{path} is its user's alone: so is a volume that an engine makes for it")
        expect(os.path.getsize(os.path.join(image.root, "etc/ssl/certs/ca-certificates.crt")) > 0,
               "it has certificate authorities: `send` to https needs them")
        data = volume(folder, "volume", user)
        volume(folder, "backups", user)
        container = Container(image, folder, user, data)
        try:
            token = use(container)
            before = report(container, token)
            expect(before.splitlines()[1].startswith("iOS,1,"), "a report comes out")
            copies(container, folder, user)
            stopped_is_unhealthy(container)
            expect(container.stop() == 0, "SIGTERM ends it with 0")
            container = Container(image, folder, user, data)
            expect(container.wait_until_healthy(), "it starts again on its volume")
            expect(report(container, token) == before, "the report is the same")
        finally:
            container.stop()
        comes_back(image, folder, user, token, before)
        with open(container.log.name, encoding="utf-8") as file:
            print(file.read(), end="")
        print("the image was started, used, copied, stopped, started again, and brought back")
    finally:
        image.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
