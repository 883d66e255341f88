#!/usr/bin/env python3
"""Starts a cluster on this machine, fills it with simulated devices, and serves until Ctrl-C: make cluster."""
import subprocess
import sys
import time

from machine import APP, KEY, with_machine
from parts import Failure, PROGRAM, end_with_parent


def show(machine):
    print(f"\nnginx for devices       http://127.0.0.1:{machine.devices}")
    print(f"nginx for reports       http://127.0.0.1:{machine.reports}/#token={machine.token}")
    for node in machine.nodes:
        print(f"{node.name:<23} http://127.0.0.1:{node.devices} devices, "
              f"http://127.0.0.1:{node.reports} reports, http://127.0.0.1:{node.admin}/metrics")
    for name, port in machine.engines.items():
        print(f"{name:<23} http://127.0.0.1:{port}, user sojourn, password {machine.password}")
    settings = machine.nodes[0].environment["SOJOURN_CONFIG"]
    print(f"""
Go on with:
  {PROGRAM} node list --config {settings}
  {PROGRAM} report active --app {APP} --config {settings}
  {PROGRAM} verify --engine --config {settings}
  {PROGRAM} simulate --app {APP} --seed 2 --key {KEY} --secret-file {machine.secret} \\
      --url http://127.0.0.1:{machine.devices}

Logs and data are in {machine.folder} and go with it. Serving until Ctrl-C.""", flush=True)


def serve(machine):
    machine.start(lambda what: print(f"starting {what}", flush=True))
    filled = subprocess.run([PROGRAM, "simulate", "--app", APP, "--key", KEY, "--secret-file",
                             machine.secret, "--url", f"http://127.0.0.1:{machine.devices}"],
                            env=machine.nodes[0].environment, preexec_fn=end_with_parent)
    if filled.returncode:
        raise Failure(f"simulate ended with {filled.returncode}")
    show(machine)
    while True:
        for part in machine.parts:
            if part.process.poll() is not None:
                print(f"{part.name} ended with {part.process.returncode}", flush=True)
                machine.parts.remove(part)
                break
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(with_machine(serve))
