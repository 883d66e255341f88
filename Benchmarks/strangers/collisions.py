"""Batch ids that are equal under XXH64 with seed 0, the unkeyed digest by which batches were once known.

`ChecksumStream.hash` puts the length into a stripe of its own, then goes through the text in stripes of
four words, and each of its four lanes sees one word of a stripe. An id of 64 octets has two words a lane.
For whatever first word, there is one second word that brings the lane where it was, and one in 57,000 of
these is made of characters that an id may have. So 22 pairs of words a lane are found in seconds, and any
four pairs make another id: 234,256 that are equal in all 64 bits.
"""

import itertools
import random

MASK = (1 << 64) - 1
HIGH_BITS = 0x8080808080808080
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F)
INVERSES = tuple(pow(prime, -1, 1 << 64) for prime in PRIMES)
CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
PAIRS = 22


def _rotated(word, bits):
    return (word << bits | word >> (64 - bits)) & MASK


def _round(lane, word):
    return _rotated((lane + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def _word(source):
    return int.from_bytes(bytes(source.choices(CHARACTERS, k=8)), "little")


def _pairs(lane, source):
    """Pairs of words that all bring a lane to the same value."""
    first, second = _word(source), _word(source)
    pairs = [(first, second)]
    # What the second round has to begin its rotation with.
    wanted = _rotated(_round(_round(lane, first), second) * INVERSES[0] & MASK, 33)
    while len(pairs) < PAIRS:
        start = _word(source) & ~0xFFFFFF
        for low in itertools.product(CHARACTERS, repeat=3):
            first = start | low[0] | low[1] << 8 | low[2] << 16
            second = (wanted - _round(lane, first)) * INVERSES[1] & MASK
            if second & HIGH_BITS:
                continue
            if not second.to_bytes(8, "little").strip(CHARACTERS):
                pairs.append((first, second))
                if len(pairs) == PAIRS:
                    break
    return pairs


def ids():
    """All of them, the same in every run."""
    source = random.Random(18)
    lanes = [(PRIMES[0] + PRIMES[1]) & MASK, PRIMES[1], 0, -PRIMES[0] & MASK]
    # The stripe of the length.
    lanes = [_round(lane, word) for lane, word in zip(lanes, (64, 0, 0, 0))]
    for chosen in itertools.product(*(_pairs(lane, source) for lane in lanes)):
        words = [pair[0] for pair in chosen] + [pair[1] for pair in chosen]
        yield b"".join(word.to_bytes(8, "little") for word in words).decode()
