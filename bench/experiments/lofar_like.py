#!/usr/bin/env python3
"""Prints a pipeline as LOFAR's users compose them, at random: lofar_like.py SEED > pipeline.json

The same seed gives the same pipeline. Sizes are what two cores take in 1 to 100 ms a block, odd
counts as often as round ones. Sources are simulated, and files are never made: for tune, explain
and bench, which look at shapes only.
"""
import json
import math
import random
import sys

STATIONS = [4, 5, 8, 11, 16, 21, 24, 29, 32, 37, 48, 61, 64]
CHANNELS = [16, 32, 48, 64, 100, 128, 256, 512, 1024]
BEAMS = [1, 3, 7, 8, 12, 16, 19, 30, 40, 61, 64, 100]
SAMPLES = 3_000_000  # voltages of a block, at most: stations * polarizations * samples


def positions(rng, count):
    spots = [(10 * math.sqrt(i) * math.cos(2.4 * i), 10 * math.sqrt(i) * math.sin(2.4 * i)) for i in range(count)]
    return [[round(x + rng.uniform(-2, 2), 1), round(y + rng.uniform(-2, 2), 1), 0.0] for x, y in spots]


def directions(count):
    return [[30.0 + 0.7 * (i % 10), 55.0 + 0.5 * (i // 10)] for i in range(count)]


def spectra(rng, nodes, stations, channels):
    """Voltages to spectra; returns the node that has them."""
    nodes["fir"] = {"stage": "fir", "input": "voltages", "channels": channels, "taps": rng.choice([4, 8, 16])}
    nodes["fft"] = {"stage": "fft", "input": "fir"}
    if rng.random() < 0.35:
        nodes["phased"] = {"stage": "delay", "input": "fft",
                           "delays": [[round(1e-9 * rng.uniform(-50, 50), 12)] for _ in range(stations)]}
        return "phased"
    return "fft"


def search(rng, nodes, beams, seconds):
    """Beams to powers, and perhaps to trial dispersion measures."""
    nodes["power"] = {"stage": "detect", "input": beams, "stokes": "I", "integrate": rng.choice([1, 1, 2, 4, 8])}
    if rng.random() < 0.5:
        nodes["dm trials"] = {"stage": "dedisp", "input": "power",
                              "dm": {"start": 0, "step": round(0.02 * seconds * rng.uniform(0.5, 2), 6),
                                     "count": rng.choice([24, 41, 64])}}
        return "dm trials"
    return "power"


def pipeline(seed):
    rng = random.Random(seed)
    stations, channels, beams = rng.choice(STATIONS), rng.choice(CHANNELS), rng.choice(BEAMS)
    most = SAMPLES // (2 * stations) // channels
    spectra_per_block = max(32, 1 << (rng.randint(most // 4 or 1, max(most, 2)).bit_length() - 1))
    if rng.random() < 0.4:  # not a power of two
        spectra_per_block = max(48, spectra_per_block * 3 // 4)
    block = channels * spectra_per_block
    rate = 195312.5
    nodes = {"voltages": {"stage": "source.simulate", "stations": "$stations", "samples": 4 * block}}
    last = spectra(rng, nodes, stations, channels)
    kind = rng.choice(["beams", "search", "correlator", "both", "beams correlated", "incoherent"])
    if kind != "correlator":
        nodes["beams"] = {"stage": "beamformer", "input": last, "positions": "$stations", "directions": "$beams"}
        if kind == "incoherent":
            nodes["beams"] = {"stage": "beamformer", "input": last, "mode": "incoherent"}
    if kind in ("search", "both", "incoherent"):
        nodes["powers"] = {"stage": "sink.npy", "input": search(rng, nodes, "beams", block / rate), "file": "powers.npy"}
    if kind == "beams":
        nodes["beam data"] = {"stage": "sink.raw", "input": "beams", "file": "beams.raw"}
    if kind in ("correlator", "both", "beams correlated"):
        nodes["vis"] = {"stage": "correlator", "input": "beams" if kind == "beams correlated" else last,
                        "integrate": spectra_per_block}
        nodes["visibilities"] = {"stage": "sink.npy", "input": "vis", "file": "visibilities.npy"}
    return {"cornerturn": 1, "comment": f"random, as LOFAR's users compose them: seed {seed}, {kind}",
            "constants": {"stations": positions(rng, stations), "beams": directions(beams)},
            "nodes": nodes, "block": {"T": block}}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: lofar_like.py SEED")
    json.dump(pipeline(int(sys.argv[1])), sys.stdout, indent=1)
    print()
