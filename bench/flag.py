#!/usr/bin/env python3
"""flag.py [--command build/cornerturn] [--set KEY=NUMBER ...]: what `flag` with its defaults, or with other parameters, does to
noise, to bursts and to a carrier: 512 channels from 1200 to 1500 MHz, 1 ms, bytes of mean 60 and deviation 12. Needs numpy."""
import argparse
import json
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

CHANNELS, TIMES, SAMPLE_S, MEAN, DEVIATION = 512, 8192, 1e-3, 60, 12
MHZ = np.linspace(1500 - 150 / CHANNELS, 1200 + 150 / CHANNELS, CHANNELS)


def delays(dm):
    """Samples by which each channel is later than the first (4.148808e3 s MHz^2 cm^3 / pc, as signal.md has it)."""
    return np.round(4.148808e3 * dm * (MHZ**-2 - MHZ[0] ** -2) / SAMPLE_S).astype(int)


def write_fil(path, x):
    def text(word):
        return struct.pack("i", len(word)) + word.encode()

    whole = {"nchans": CHANNELS, "nbits": 8, "nifs": 1, "data_type": 1}
    real = {"fch1": MHZ[0], "foff": MHZ[1] - MHZ[0], "tsamp": SAMPLE_S, "tstart": 58000.0}
    header = text("HEADER_START") + b"".join(text(k) + struct.pack("i", v) for k, v in whole.items())
    header += b"".join(text(k) + struct.pack("d", v) for k, v in real.items()) + text("HEADER_END")
    path.write_bytes(header + np.clip(np.round(x), 0, 255).astype(np.uint8).tobytes())


def flags(given, folder, x):
    flag = {"stage": "flag", "input": "in", **given.parameters}
    nodes = {"in": {"stage": "source.sigproc", "file": "x.fil"}, "flag": flag,
             "out": {"stage": "sink.npy", "input": "flag.F", "file": "flags.npy"}}
    (folder / "flag.json").write_text(json.dumps({"cornerturn": 1, "nodes": nodes}))
    write_fil(folder / "x.fil", x)
    subprocess.run([given.command, "run", "flag.json"], cwd=folder, check=True, capture_output=True)
    f = np.load(folder / "flags.npy")
    return f if f.shape == x.shape else f.T


def noise(random):
    return MEAN + DEVIATION * random.standard_normal((TIMES, CHANNELS))


def noise_lost(given, folder, random):
    windows = np.concatenate([flags(given, folder, noise(random)).reshape(-1, 1024, CHANNELS).mean(1) for _ in range(16)])
    return (windows == 1).mean(), windows[windows < 1].mean()


def burst_left(given, folder, random, width, dm, deviations):
    """The part of its S/N: the root of the part of its samples."""
    x, on = noise(random), np.zeros((TIMES, CHANNELS), bool)
    for c, late in enumerate(delays(dm)):
        on[1500 + late : 1500 + late + width, c] = True
    x[on] += DEVIATION * deviations
    return np.sqrt((flags(given, folder, x)[on] == 0).mean())


def largest(x, f):
    """Of all boxcars of 64 samples at DM 594, what is flagged being the mean."""
    late = delays(594)
    length = TIMES - late[-1]
    series = sum(np.where(f[d : d + length, c], MEAN, x[d : d + length, c]) for c, d in enumerate(late))
    sums = np.convolve(series, np.ones(64), "valid")
    middle = np.median(sums)
    return (sums.max() - middle) / (8 * DEVIATION * np.sqrt(CHANNELS))


def carrier(given, folder, random, deviations):
    """The largest S/N without and with `flag`: three channels, on for 0.3 of every 2.3 s."""
    x = noise(random)
    x[(np.arange(TIMES) * SAMPLE_S) % 2.3 < 0.3, 200:203] += DEVIATION * deviations
    return largest(x, np.zeros(x.shape, bool)), largest(x, flags(given, folder, x) != 0)


def number(text):
    key, value = text.split("=")
    return key, float(value)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--command", default="build/cornerturn")
parser.add_argument("--set", dest="parameters", type=number, action="append", default=[], metavar="KEY=NUMBER")
given = parser.parse_args()
given.command, given.parameters = str(Path(given.command).resolve()), dict(given.parameters)
random = np.random.default_rng(1)
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    print("of noise flagged: %.4f of the windows of a channel, %.1e of other samples" % noise_lost(given, folder, random))
    for width in (1, 3, 10, 30):
        left = [burst_left(given, folder, random, width, dm, d) for dm in (100, 300, 500) for d in (1, 2, 3, 4, 6, 8, 10)]
        print(f"of the S/N of bursts of {width} samples left: {min(left):.3f} at least, {np.mean(left):.3f} on average")
    for deviations in (0, 1, 2, 3, 5, 8, 12):
        print("a carrier of %g deviations: %.1f without flag, %.1f with it" % (deviations, *carrier(given, folder, random, deviations)))
