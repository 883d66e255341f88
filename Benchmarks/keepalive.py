#!/usr/bin/env python3
"""CPU for a keep-alive GET: `/livez` of Sojourn beside a static file of nginx, by wrk, in turn.

    Benchmarks/keepalive.py [--rounds 4] [--seconds 4] [--connections 32] [PROGRAM]

Needs nginx and wrk (Debian: nginx-light, wrk). CPU is what the processes of each server have used,
as /proc tells it, per request that wrk counted. Everything happens on 127.0.0.1.
"""
import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

NGINX = """
daemon off; master_process on; worker_processes auto; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 1024; }}
http {{
    access_log off; keepalive_requests 1000000000; sendfile on; tcp_nopush on; open_file_cache max=10;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{ listen 127.0.0.1:{port}; root {folder}/www; default_type text/plain; }}
}}
"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def cpu(parent):
    """Seconds that a process and its children have used."""
    total = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(name) == parent or int(fields[1]) == parent:
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def measure(process, url, given):
    before = cpu(process.pid)
    out = subprocess.run(
        ["wrk", "-t1", f"-c{given.connections}", f"-d{given.seconds}s", url],
        capture_output=True, text=True, check=True).stdout
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit(out)
    return (cpu(process.pid) - before) / requests * 1e6, requests / given.seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=".build/release/sojourn")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--connections", type=int, default=32)
    given = parser.parse_args()
    for needed in ("nginx", "wrk"):
        if not shutil.which(needed):
            sys.exit(f"no {needed} here; Debian has it as nginx-light and wrk")
    folder = tempfile.mkdtemp(prefix="sojourn-keepalive-")
    os.chmod(folder, 0o755)
    os.mkdir(folder + "/www")
    open(folder + "/www/livez", "w").write("ok\n")
    ports = free_port(), free_port()
    open(folder + "/nginx.conf", "w").write(NGINX.format(folder=folder, port=ports[0]))
    servers = {
        "nginx": (subprocess.Popen(["nginx", "-c", folder + "/nginx.conf"]), ports[0]),
        "sojourn": (subprocess.Popen(
            [given.program, "serve", "--data", folder + "/data", "--listen",
             f"127.0.0.1:{ports[1]}", "--admin-listen", "off"], stderr=subprocess.DEVNULL), ports[1]),
    }
    found = {name: [] for name in servers}
    try:
        time.sleep(1)
        for _ in range(given.rounds):
            for name, (process, port) in servers.items():
                found[name].append(measure(process, f"http://127.0.0.1:{port}/livez", given))
    finally:
        for process, _ in servers.values():
            process.send_signal(signal.SIGTERM)
            process.wait(40)
        shutil.rmtree(folder)
    for name, rows in found.items():
        print(f"{name:<8} " + "  ".join(f"{us:.1f} µs at {rate:,.0f}/s" for us, rate in rows))
    ratios = sorted(s[0] / n[0] for n, s in zip(found["nginx"], found["sojourn"]))
    print(f"CPU a request, sojourn ÷ nginx: {ratios[len(ratios) // 2]:.2f} (median of {len(ratios)})")


if __name__ == "__main__":
    main()
