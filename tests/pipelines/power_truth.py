"""power_truth.py NAME IN MASK OUT: what stages make of IN ([T][S][C], bytes) as loops over plain numbers.

Room: tests. Knows the definitions in the stages' READMEs.
"""
import array
import sys

TIMES, STATIONS, CHANNELS = 1000, 42, 5


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else None


def zerodm_mean(x):
    """x[t][c], None where flagged"""
    z = [mean([v for v in row if v is not None]) for row in x]
    return [[0 if v is None else 16 * (v - z[t]) for v in row] for t, row in enumerate(x)]


def fit(x, z):
    """What is left of one channel over one window."""
    pairs = [(v, m) for v, m in zip(x, z) if v is not None]
    if not pairs:
        return [0] * len(x)
    vm, mm = mean([v for v, _ in pairs]), mean([m for _, m in pairs])
    square = sum((m - mm) ** 2 for _, m in pairs)
    slope = sum((v - vm) * (m - mm) for v, m in pairs) / square if square else 0
    return [0 if v is None else v - vm - slope * (m - mm) for v, m in zip(x, z)]


def zerodm_fit(x):
    z = [mean([v for v in row if v is not None]) for row in x]
    out = [[0] * CHANNELS for _ in x]
    for first in range(0, len(x), 64):
        for c in range(CHANNELS):
            column = fit([row[c] for row in x[first:first + 64]], z[first:first + 64])
            for k, value in enumerate(column):
                out[first + k][c] = value
    return out


def levels(x):
    out = [[127.5] * CHANNELS for _ in x]
    for first in range(0, len(x), 64):
        for c in range(CHANNELS):
            column = {t: row[c] for t, row in enumerate(x[first:first + 64], first) if row[c] is not None}
            middle = mean(list(column.values()))
            square = mean([(v - middle) ** 2 for v in column.values()])
            for t, value in column.items():
                out[t][c] += 16 * (value - middle) / square ** 0.5 if square else 0
    return out


def level(column):
    """Of one window: 16 parts of 16; None where all is flagged."""
    parts = [mean([v for v in column[k:k + 16] if v is not None]) for k in range(0, len(column), 16)]
    parts = sorted(v for v in parts if v is not None)
    return (parts[(len(parts) - 1) // 2] + parts[len(parts) // 2]) / 2 if parts else None


def end(first, second):
    if first is None or second is None:
        return first if second is None else second
    return second + (second - first) / 2


def slow(x):
    out = [[0] * CHANNELS for _ in x]
    for c in range(CHANNELS):
        before, last = None, None
        for first in range(0, len(x), 256):
            column = [row[c] for row in x[first:first + 256]]
            own = level(column)
            stop = end(last, own)
            start = end(before, last)
            start = stop if start is None else start
            for k, value in enumerate(column):
                if value is not None:
                    out[first + k][c] = value - start - (stop - start) * (k + 0.5) / 256
            before, last = last, own
    return out


# what is made, its type, and by how much it may be off
CASES = {"mean": (zerodm_mean, "h", 0.5001), "fit": (zerodm_fit, "f", 1e-3), "levels": (levels, "f", 1e-3),
         "slow": (slow, "f", 1e-3)}

make, kind, most = CASES[sys.argv[1]]
data, mask = (open(name, "rb").read() for name in sys.argv[2:4])
found = array.array(kind)
with open(sys.argv[4], "rb") as file:
    found.frombytes(file.read())
assert len(found) == TIMES * STATIONS * CHANNELS, len(found)
for s in range(STATIONS):
    x = [[None if mask[(s * TIMES + t) * CHANNELS + c] else data[(t * STATIONS + s) * CHANNELS + c]
          for c in range(CHANNELS)] for t in range(TIMES)]
    for t, row in enumerate(make(x)):
        for c, right in enumerate(row):
            value = found[(s * TIMES + t) * CHANNELS + c]
            assert abs(value - right) <= most, (s, t, c, value, right)
