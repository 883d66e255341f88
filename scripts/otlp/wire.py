"""OTLP log requests written by hand: records as octets that are put together again and again."""

import json
import struct

PROTOBUF, JSON = "application/x-protobuf", "application/json"


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def text_pair(key, value):
    return field(1, key.encode()) + field(2, field(1, value.encode()))


def int_pair(key, value):
    return field(1, key.encode()) + field(2, varint(3 << 3) + varint(value))


class Record:
    """One record of a device in both encodings, each with its frame."""

    def __init__(self, name, nanoseconds, numbers, session):
        pairs = [("session.id", session), *numbers]
        body = varint(1 << 3 | 1) + struct.pack("<Q", nanoseconds) + field(12, name.encode())
        for key, value in pairs:
            pair = text_pair if isinstance(value, str) else int_pair
            body += field(6, pair(key, value))
        self.protobuf = field(2, body)
        kinds = {str: "stringValue", int: "intValue"}
        attributes = [
            {"key": key, "value": {kinds[type(value)]: str(value)}} for key, value in pairs
        ]
        self.json = json.dumps(
            {"timeUnixNano": str(nanoseconds), "eventName": name, "attributes": attributes}
        )


class Device:
    """A resource, in both encodings."""

    def __init__(self, name):
        attributes = {"app.installation.id": name, "os.name": "Android", "service.version": "1.0"}
        self.protobuf = field(
            1, b"".join(field(1, text_pair(key, value)) for key, value in attributes.items())
        )
        self.json = json.dumps(
            {
                "attributes": [
                    {"key": key, "value": {"stringValue": value}}
                    for key, value in attributes.items()
                ]
            }
        )


def encode(parts, kind):
    """A request of (device, records) each."""
    if kind == PROTOBUF:
        return b"".join(
            field(1, device.protobuf + field(2, b"".join(record.protobuf for record in records)))
            for device, records in parts
        )
    resources = (
        f'{{"resource":{device.json},"scopeLogs":[{{"logRecords":['
        f'{",".join(record.json for record in records)}]}}]}}'
        for device, records in parts
    )
    return ('{"resourceLogs":[' + ",".join(resources) + "]}").encode()
