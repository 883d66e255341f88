#!/usr/bin/env python3
"""Hostile clients beside an honest one: how much longer does the honest one wait?

    Benchmarks/hostile.py [--seconds 4] [--rounds 2] [--flood-seconds 60] [--only KIND]…
                          [--names 100000] [--completions 400000] [--before PROGRAM] [PROGRAM]

First floods: what the key of one app is good for, beside a client of another app that posts a batch of one
event every 10 ms. Each flood has a server and a data directory of its own. Exits 1 if the p99 beside any of
them is more than 100 ms longer than alone, or two of the server's signs of life are further apart than half
of WATCHDOG_USEC and 0.5 s.

Before that: what an element of a body costs, in each form that is read, and for how long devices are refused
where a stranger with their app's key, or with its name, has used `rate-limit` up. Exits 1 if it costs more than
200 ns, or they are refused longer than the contract says. And how long another app's batches wait while a
device with 100,000 names, or with 400,000 first completions, is erased: the p99 no more than 100 ms longer.
--names and --completions say other numbers.

Then hostile clients of one connection, each beside a client that posts at full speed, in turn with that
client alone, so that both figures of a ratio come from the same minute. Exits 1 if the p99 beside any kind
is more than 3 times the p99 alone.

With --before the same is done with another build, in turn; it is only shown. A post of PROGRAM's that was
not answered 200 is a failure, too. Everything happens on 127.0.0.1.
"""
import argparse
import os
import sys
import time

from kit.machine import warning
from strangers import elements, erased, owing
from strangers.floods import floods
from strangers.honest import Posts
from strangers.measure import PAUSE, PROCESSES, Beside, Site, alone
from strangers.signs import WATCHDOG_SECONDS
from strangers.single import kinds

LONGER = 100  # ms of p99
GAP = WATCHDOG_SECONDS / 2 + 0.5


def in_columns(*cells):
    first, second, *rest = cells
    print(f"{first:<14} {second:<8} " + " ".join(f"{cell:>8}" for cell in rest), flush=True)


# --- floods


def measure_flood(flood, name, program, calm_seconds):
    """Prints a row for each phase; returns whether all kept within the bounds."""
    held = True
    with Site(program) as site:
        flood.prepare(site.port, site.tokens["shop"])
        calms = {}
        for phase in flood.phases:
            if phase.events not in calms:
                calms[phase.events] = alone(site, calm_seconds, events=phase.events, pause=PAUSE)
            calm = calms[phase.events]
            if phase.restarts:
                site.server.restart()
            beside = Beside(site, phase)
            cells = []
            for share in (0.5, 0.99, 1):
                cells += [f"{posts.milliseconds(share):.1f}" for posts in (beside.posts, calm)]
            answers = ", ".join(
                f"{count} × {told}" for told, count in sorted(beside.told.items(), key=str)
            )
            note = f"; {beside.posts.wrong} posts not 200" if beside.posts.wrong else ""
            in_columns(
                phase.name, name, len(beside.posts.times), *cells, f"{beside.longest_gap:.2f}",
                f"{beside.cores_of_others:.1f}",
                f"  in {beside.seconds:.0f} s {answers}{note}{warning(beside.cores_of_others)}")
            longer = beside.posts.milliseconds(0.99) - calm.milliseconds(0.99)
            held = held and longer <= LONGER and beside.longest_gap <= GAP
            held = held and beside.posts.wrong == 0
    return held


# --- elements

MOST_ELEMENT = 200  # ns of CPU; docs/operation.md says some 100 on a machine of its own


def measure_cost(name, program):
    """Prints a row for each kind of body; returns whether no element costs more than the bound."""
    held = True
    with Site(program) as site:
        for kind in elements.KINDS:
            cells = []
            for limits, rounds in ((elements.LOOP, 200), (elements.JUDGE, 5)):
                body = elements.Body(kind, limits)
                spent, told = elements.cost(site, body, rounds)
                told = ", ".join(map(str, sorted(told)))
                cells.append(
                    f"{spent:5.0f} ns of {body.elements:,} elements, "
                    f"{len(body.octets):,} B sent, {body.inflated:,} inflated, answered {told}"
                )
                held = held and spent <= MOST_ELEMENT
            print(f"{kind:<18} {name:<8} " + "; ".join(cells), flush=True)
    return held


# --- one connection


def full_speed(site, seconds):
    return alone(site, seconds, app="shop")


def beside_client(site, client, seconds):
    hostile = PROCESSES.Process(target=client, args=(site.port, site.tokens["shop"]))
    hostile.start()
    time.sleep(0.3)
    posts = full_speed(site, seconds)
    hostile.kill()
    hostile.join()
    return posts


def measure_kind(kind, client, name, site, rounds, seconds):
    """Prints a row; returns whether it kept within the bounds."""
    calm, beside = Posts(), Posts()
    for _ in range(rounds):
        calm += full_speed(site, seconds)
        beside += beside_client(site, client, seconds)
    wrong, ratio = calm.wrong + beside.wrong, beside.milliseconds(0.99) / calm.milliseconds(0.99)
    in_columns(
        kind, name, len(beside.times), *(f"{p.milliseconds(0.99):.2f}" for p in (beside, calm)),
        f"{ratio:.2f}", f"  {wrong} posts not 200" if wrong else "")
    return ratio <= 3 and wrong == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=".build/release/sojourn")
    parser.add_argument("--before")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--flood-seconds", type=float, default=60)
    parser.add_argument("--only", action="append")
    parser.add_argument("--names", type=int, default=erased.NAMES)
    parser.add_argument("--completions", type=int, default=erased.COMPLETIONS)
    given = parser.parse_args()
    programs = {"before": given.before} if given.before else {}
    programs["program"] = given.program
    programs = {name: os.path.abspath(path) for name, path in programs.items()}
    all_floods, all_kinds = floods(given.flood_seconds), kinds()
    others = {
        "cost of elements": measure_cost,
        "owing": owing.measure,
        "erased names": lambda *site: erased.names(*site, given.names),
        "completions": lambda *site: erased.completions(*site, given.completions),
    }
    known = [*others, *all_floods, *all_kinds]
    chosen = given.only or known
    for name in chosen:
        if name not in known:
            parser.error(f"no kind '{name}': {', '.join(known)}")
    held = True
    for name in filter(others.get, chosen):
        for which, program in programs.items():
            kept = others[name](which, program)
            held = held and (kept or which == "before")
    if any(name in all_floods for name in chosen):
        in_columns("beside, in ms", "", "posts", "p50", "alone", "p99", "alone", "longest", "alone",
                   "sign s", "others", "  the stranger was answered")
    for name in filter(all_floods.get, chosen):
        for which, program in programs.items():
            kept = measure_flood(all_floods[name], which, program, given.seconds)
            held = held and (kept or which == "before")
    if any(name in all_kinds for name in chosen):
        in_columns("beside", "", "posts", "p99 ms", "alone", "ratio")
    for name in filter(all_kinds.get, chosen):
        for which, program in programs.items():
            with Site(program) as site:
                full_speed(site, 1)
                kept = measure_kind(name, all_kinds[name], which, site, given.rounds, given.seconds)
            held = held and (kept or which == "before")
    print("within the bounds" if held else "too slow, too silent, or not answered")
    sys.exit(not held)


if __name__ == "__main__":
    main()
