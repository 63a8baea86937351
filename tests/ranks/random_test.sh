#!/usr/bin/env bash
# random_test.sh [PIPELINES [BUILD]]: pipelines at random, with layouts and splits pinned at random, on 1, 2,
# 3, 4 and 7 ranks, some of these in a grid: each writes byte for byte what one process writes; where parts
# of sums are added, to 1e-6 of the rms. Every other run does without memory that ranks share. SEED says the first one's (1; each is one further), RANKS on how many
# ranks ("1 2 3 4 7"), KEEP=FOLDER where what is wrong is left. Skipped without mpirun.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
pipelines=${1:-200} build=$(cd "${2:-$root/build}" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"
cornerturn=${CORNERTURN:-$build/cornerturn} splits=$build/tests/test.splits
for stage in average boxcar requantise rfi; do cp "$root/examples/stages/$stage/$stage"* .; done
runs=0 added=0

fail()
{
    echo "failed: SEED=$seed: $*"
    failed=$((failed + 1))
    [ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp -r splits.json one out "$KEEP/" 2>/dev/null; }
}

# run FOLDER COMMAND..: the pipeline's outputs are then in the folder
run()
{
    local folder=$1
    shift
    rm -rf "$folder" ./[0-9]*.npy ./[0-9]*.json
    timeout 120 "$@" run splits.json --library "$build/tests/ranks_stages.so" --plan default --quiet ${grid:-} 2>err
    local code=$?
    mkdir "$folder"
    mv ./[0-9]*.npy ./[0-9]*.json "$folder/" 2>/dev/null
    return $code
}

# Whether one/ and out/ have the same files; added parts are rounded in another order.
same()
{
    [ "$(ls one)" = "$(ls out)" ] || return 1
    local file
    for file in one/*; do
        cmp -s "$file" "out/${file#one/}" && continue
        [ "$sums" = 1 ] && [[ $file == *.npy ]] && "$splits" like "$file" "out/${file#one/}" || return 1
    done
}

plans() { "$cornerturn" explain splits.json --library "$build/tests/ranks_stages.so" --plan default --ranks "$1" >/dev/null 2>&1; }

# A grid of four ranks for every third pipeline, of which nodes take what they can.
grids=('' '--ranks S=2,C=2' '' '--ranks C=2,P=2' '' '--ranks B=2,C=2')
for ((seed = ${SEED:-1}; seed < ${SEED:-1} + pipelines; seed++)); do
    "$splits" "$seed" >splits.json 2>err || { fail "no pipeline: $(head -n 1 err)"; continue; }
    sums=0 grid=
    grep -q '"parts are added"' splits.json && sums=1 added=$((added + 1))
    run one "$cornerturn" || { fail "one process: $(cat err)"; continue; }
    for n in ${RANKS:-1 2 3 4 7}; do
        grid=
        [ "$n" -eq 4 ] && grid=${grids[seed % 6]}
        # Refused where no node can be split along one of its dimensions.
        [ -z "$grid" ] || plans "${grid#--ranks }" || grid=
        runs=$((runs + 1))
        export CORNERTURN_SHARED_MEMORY=$([ $(((seed + n) % 2)) -eq 0 ] && echo off)
        run out mpirun --oversubscribe --bind-to none -n "$n" "$cornerturn" || { fail "$n ranks $grid: $(head -n 3 err)"; continue; }
        same || fail "$n ranks $grid: $(diff -rq one out | head -n 3)"
    done
done
echo "$pipelines pipelines, $runs runs of ranks, $added pipelines with added parts, $failed failed"
[ "$failed" -eq 0 ]
