"""The machine a figure was measured on, and how busy others kept it."""

import os
import time

TICKS = os.sysconf("SC_CLK_TCK")


def busy_seconds():
    """CPU that everything on this machine has used, in seconds."""
    with open("/proc/stat") as stat:
        user, nice, system, _idle, _wait, irq, softirq = map(int, stat.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / TICKS


def process_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def process_memory(pid):
    """Octets: the most that a process had in memory since the last call, and what of it now is its own.

    Only root may begin anew with the most of a process that cannot be dumped; for others it is what there is now.
    """
    with open(f"/proc/{pid}/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    most = "VmHWM"
    try:
        with open(f"/proc/{pid}/clear_refs", "w") as peak:
            peak.write("5")
    except PermissionError:
        most = "VmRSS"
    return [int(fields[name].split()[0]) * 1024 for name in (most, "RssAnon")]


def own_seconds():
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


class Contention:
    """Cores that were taken by others than this process, its children that have ended, and some more."""

    def __init__(self, *pids):
        self.pids = pids
        self.start, self.machine, self.ours = time.monotonic(), busy_seconds(), self._ours()

    def _ours(self):
        return own_seconds() + sum(map(process_seconds, self.pids))

    def cores(self):
        took = max(time.monotonic() - self.start, 1e-9)
        return max(0.0, (busy_seconds() - self.machine - (self._ours() - self.ours)) / took)


def warning(others):
    """Behind a figure of how many cores others took."""
    return " **(too much: trust ratios only)**" if others > 0.2 else ""


def processor():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return os.uname().machine


def memory_gib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def description():
    return f"{os.cpu_count()} cores of {processor()}, {memory_gib():.0f} GiB, Linux {os.uname().release}"


def fsync_milliseconds(folder, rounds=200):
    """Median and 99th percentile of writing 16 KiB behind a file's end and syncing it there."""
    path, octets, times = os.path.join(folder, "fsync.probe"), os.urandom(16384), []
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        for _ in range(rounds):
            begun = time.perf_counter()
            os.write(descriptor, octets)
            os.fdatasync(descriptor)
            times.append((time.perf_counter() - begun) * 1000)
    finally:
        os.close(descriptor)
        os.unlink(path)
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.99)]


def forget_cached(folder):
    """Drops what the page cache holds of the files in a folder; their owner may always do that."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if not os.path.isfile(path):
            continue
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
