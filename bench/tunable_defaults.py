#!/usr/bin/env python3
"""tunable_defaults.py: rows that measurements suggest for core/step/tunable_defaults.tsv.

    bench/tunable_defaults.py MEASURED ...
    bench/tunable_defaults.py --class "cpu pocl amd avx512" --pipeline PIPELINE JOURNAL ...

MEASURED is what bench.tunables has printed. A JOURNAL of `cornerturn tune` does not say which class its device has
(`cornerturn info device` does), nor the stages of its nodes. A change is suggested if all stages' cells that have it
take at most 0.95 of the default's time in the mean, and none takes more than 1.02; --all prints every change.
"""
import argparse, collections, json, math, statistics, sys


def of_bench(file, found):
    for line in open(file):
        fields = line.rstrip("\n").split("\t")
        if len(fields) == 6:
            found[fields[1], fields[0], fields[3]][fields[2]] = float(fields[4])


def ratio(row):
    return statistics.median(a / b for a, b in zip(row["seconds"], row["default_seconds"]))


def of_journal(file, words, pipeline, found):
    nodes = json.load(open(pipeline))["nodes"]
    cells = collections.defaultdict(dict)
    for line in open(file):
        try:
            row = json.loads(line)
        except ValueError:  # torn off
            continue
        if row.get("cell") in nodes and row.get("seconds") and row.get("default_seconds"):
            change = " ".join(f"{k}={v}" for k, v in sorted(row["tunables"].items())) or "-"
            cells[row["cell"], row["at"]].setdefault(change, []).append(ratio(row))
    for (node, at), changes in cells.items():
        stage = nodes[node]["stage"]
        # A fused node has tunables of another stage than the pipeline's.
        if ">" not in at or "-" not in changes:
            continue
        usual = statistics.median(changes["-"])
        for change, ratios in changes.items():
            if change != "-":
                found[stage, words, change][f"{file} {node} {at}"] = statistics.median(ratios) / usual


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--class", dest="words")
    parser.add_argument("--pipeline")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("file", nargs="+")
    asked = parser.parse_args()
    if bool(asked.words) != bool(asked.pipeline):
        parser.error("a journal needs both, --class and --pipeline")
    found = collections.defaultdict(dict)
    for file in asked.file:
        if asked.pipeline:
            of_journal(file, asked.words, asked.pipeline, found)
        else:
            of_bench(file, found)
    if not found:
        sys.exit("no measurements of tunables in " + ", ".join(asked.file))
    for (stage, words, change), cells in sorted(found.items()):
        mean = math.exp(statistics.fmean(math.log(r) for r in cells.values()))
        least, most = min(cells.values()), max(cells.values())
        if asked.all or (mean <= 0.95 and most <= 1.02):
            print(f"{stage}\t{words}\t{change}\t{mean:.2f} ({least:.2f} to {most:.2f}) of the default's time, "
                  f"cells: {len(cells)}")


main()
