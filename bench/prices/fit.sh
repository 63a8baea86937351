#!/usr/bin/env bash
# fit.sh [BUILD [fit|judge]]: weights for tuner/price/cpu.prices from all times in this folder; judge: how well each
# machine, pipeline and size is predicted by the others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build} what=${2:-fit}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for times in bench/prices/*/*.times; do
    name=$(basename "$times" .times)
    pipeline=bench/experiments/${name%-again}.json
    [[ "$name" != example-* ]] || pipeline=examples/${name#example-}.json
    if [[ "$name" =~ ^r[0-9]+$ ]]; then # a random one, of this seed
        pipeline=$work/$name.json
        python3 bench/experiments/lofar_like.py "${name#r}" >"$pipeline"
    fi
    echo "$(basename "$(dirname "$times")") $pipeline $times"
done >"$work/list"
"$build/bench/bench.prices" "$what" "$work/list"
