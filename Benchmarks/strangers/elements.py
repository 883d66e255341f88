"""Bodies that are nothing but elements, of each form that is read: what they cost follows how many there are.

As large as an event loop takes on itself, and as large as a judge may have at the default settings.
"""

import gzip
import itertools
import struct
import time

from kit.machine import process_seconds

from .wire import NOON, answer, connect

LOOP = (16_000, (64 << 10) - 256)  # elements, bytes of the inflated form
JUDGE = (990_000, (8 << 20) - 256)
LOOP_CONNECTIONS, JUDGE_CONNECTIONS = 64, 18
JSON, PROTOBUF = "application/json", "application/x-protobuf"
BATCHES, LOGS = "/v1/apps/shop/batches", "/v1/logs"


# --- protobuf


def varint(number):
    octets = bytearray()
    while number >= 0x80:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    octets.append(number)
    return bytes(octets)


def message(field, octets):
    return varint(field << 3 | 2) + varint(len(octets)) + octets


def one_record(fields):
    """A request with one record that has such fields besides its time and its name."""
    record = varint(1 << 3 | 1) + struct.pack("<Q", NOON * 1_000_000) + message(12, b"e") + fields
    device = message(1, b"device.id") + message(2, message(1, b"stranger"))
    scope = message(2, message(2, record))
    return message(1, message(1, message(1, device)) + scope)


# --- one body of each kind, of so many elements


def values_of_a_value(count):
    """An attribute whose value is set again and again, to an empty list and an empty map in turn."""
    return one_record(message(6, message(1, b"k") + message(2, b"\x2a\x00\x32\x00" * (count // 2))))


def members_of_a_list(count):
    return one_record(message(6, message(1, b"k") + message(2, message(5, b"\x0a\x00" * count))))


def empty_attributes(count):
    return one_record(b"\x32\x00" * count)


def empty_resources(count):
    return b"\x0a\x00" * count


def unknown_fields(count):
    return (varint(999 << 3) + b"\x00") * count


def json_resources(count):
    return b'{"resourceLogs":[' + b",".join([b"{}"] * count) + b"]}"


def json_ignored(count):
    return b'{"x":[' + b",".join([b"0"] * count) + b"]}"


def batch_around(more):
    resource = b'"resource":{"app.installation.id":"stranger"}'
    return b'{"batch_id":"e",' + resource + b',"events":[],"x":' + more + b"}"


def ignored_numbers(count):
    return batch_around(b"[" + b",".join([b"0"] * count) + b"]")


def ignored_members(count):
    members = (b'"%x":0' % number for number in range(count // 2))
    return batch_around(b"{" + b",".join(members) + b"}")


def ignored_decimals(count):
    return batch_around(b"[" + b",".join([b"0.12345678901234567"] * count) + b"]")


# Bytes that an element takes at most.
KINDS = {
    "values of a value": (LOGS, PROTOBUF, values_of_a_value, 2),
    "members of a list": (LOGS, PROTOBUF, members_of_a_list, 2),
    "empty attributes": (LOGS, PROTOBUF, empty_attributes, 2),
    "empty resources": (LOGS, PROTOBUF, empty_resources, 2),
    "unknown fields": (LOGS, PROTOBUF, unknown_fields, 3),
    "resources in JSON": (LOGS, JSON, json_resources, 3),
    "ignored in JSON": (LOGS, JSON, json_ignored, 2),
    "ignored numbers": (BATCHES, JSON, ignored_numbers, 2),
    "ignored members": (BATCHES, JSON, ignored_members, 6),
    "ignored decimals": (BATCHES, JSON, ignored_decimals, 20),
}


class Body:
    """One of a kind, as large as the limits allow."""

    def __init__(self, kind, limits):
        self.path, self.type, make, size = KINDS[kind]
        most, octets = limits
        self.elements = min(most, octets // size)
        inflated = make(self.elements)
        self.inflated, self.octets = len(inflated), gzip.compress(inflated, 9)

    def request(self, token):
        return (
            f"POST {self.path}?dry_run=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: {self.type}\r\nContent-Encoding: gzip\r\n"
            f"Content-Length: {len(self.octets)}\r\n\r\n"
        ).encode() + self.octets


def post_again(body, connections):
    """The same on each of the connections, whenever it was answered."""

    def attack(port, token, told, begins):
        request = body.request(token)
        opened = [connect(port, timeout=120) for _ in range(connections)]
        begins()
        for number, connection in enumerate(itertools.cycle(opened)):
            if number >= connections:
                told[answer(connection)] += 1
            connection.sendall(request)

    return attack


def cost(site, body, rounds):
    """Nanoseconds of the server's CPU an element, one request after the other, and the answers' statuses."""
    connection, told = connect(site.port, timeout=120), set()
    request = body.request(site.tokens["shop"])
    before = process_seconds(site.server.pid)
    for _ in range(rounds):
        connection.sendall(request)
        told.add(answer(connection))
    connection.close()
    time.sleep(0.05)
    spent = process_seconds(site.server.pid) - before
    return spent / rounds / body.elements * 1e9, told
