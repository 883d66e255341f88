"""Batch ids that were equal under the unkeyed hash of schema 1 and 2 (XXH64 over whole stripes, seed 0).

    from kit.collisions import colliding_ids
    for batch_id in colliding_ids(200_000): ...

All 64 bits of their hash are equal, so the 32 that were kept of it too. `Benchmarks/kit/collisions.py 1000`
prints so many, one a line.

An id of 64 octets is two stripes of four words; each of the hash's four lanes takes one word of either. A
lane's state after its first word can be brought to any value by the second, as far as that word is made
of letters that an id may have: one in 51,000. So some pairs of words are looked for in each lane that
all lead to one state; a pair in each lane makes an id, and any will do.
"""
import itertools
import random
import sys

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:"
_MASK = (1 << 64) - 1
_PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63)
_INVERSE = pow(_PRIMES[1], -1, 1 << 64)
_LETTERS = frozenset(ALPHABET.encode())


def _rotated(word, bits):
    return (word << bits | word >> 64 - bits) & _MASK


def _round(lane, word):
    return _rotated((lane + word * _PRIMES[1]) & _MASK, 31) * _PRIMES[0] & _MASK


def _begin(length):
    """The four lanes after the stripe that holds a text's length."""
    lanes = (_PRIMES[0] + _PRIMES[1] & _MASK, _PRIMES[1], 0, -_PRIMES[0] & _MASK)
    return [_round(lane, word) for lane, word in zip(lanes, (length, 0, 0, 0))]


def unkeyed_hash(text):
    """As `ChecksumStream.hash` makes it."""
    octets = text.encode()
    lanes, stripes = _begin(len(octets)), 1
    for at in range(0, len(octets), 32):
        stripe = octets[at:at + 32].ljust(32, b"\0")
        lanes = [_round(lane, int.from_bytes(stripe[8 * n:8 * n + 8], "little")) for n, lane in enumerate(lanes)]
        stripes += 1
    value = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & _MASK
    for lane in lanes:
        value = ((value ^ _round(0, lane)) * _PRIMES[0] + _PRIMES[3]) & _MASK
    value = value + stripes * 32 & _MASK
    value = (value ^ value >> 33) * _PRIMES[1] & _MASK
    value = (value ^ value >> 29) * _PRIMES[2] & _MASK
    return value ^ value >> 32


def lane_pairs(lane, count, chance):
    """Pairs of words of eight letters, of which each leads the lane to the same state."""
    begin = _begin(64)[lane]
    word = lambda: "".join(chance.choices(ALPHABET, k=8)).encode()
    aim, pairs = None, []
    while len(pairs) < count:
        # Seven letters at random serve for all that can stand behind them.
        start = word()[:7]
        for letter in _LETTERS:
            one = start + bytes([letter])
            after = _round(begin, int.from_bytes(one, "little"))
            if aim is None:
                other = word()
                aim = (after + int.from_bytes(other, "little") * _PRIMES[1]) & _MASK
            else:
                other = ((aim - after) * _INVERSE & _MASK).to_bytes(8, "little")
            if other[0] in _LETTERS and other[7] in _LETTERS and _LETTERS.issuperset(other):
                pairs.append((one.decode(), other.decode()))
                if len(pairs) == count:
                    break
    return pairs


def colliding_ids(count, seed=1):
    """So many ids, each once, the same for a seed: an iterator. 200,000 take some seconds to begin with."""
    chance = random.Random(seed)
    each = 1
    while each ** 4 < count:
        each += 1
    lanes = [lane_pairs(lane, each, chance) for lane in range(4)]
    chosen = itertools.product(*lanes)
    for pairs in itertools.islice(chosen, count):
        yield "".join(first for first, _ in pairs) + "".join(second for _, second in pairs)


if __name__ == "__main__":
    for batch_id in colliding_ids(int(sys.argv[1]), *map(int, sys.argv[2:])):
        print(batch_id)
