#!/usr/bin/env bash
# builds.sh OTHER [BUILD [NAME..]]: is BUILD (build) as fast as OTHER, the folder of another build? Each stage at its
# default tunables, each pipeline of examples/ and bench/experiments rehearsed with its default plan, and a run of each
# of examples/, with its files, are timed by the commands of both in turns, PAIRS times (5), ROUNDS rounds each (9; runs
# a third of them). A table says the ratio of BUILD's time to OTHER's: the median of the pairs, the least and the most.
# SIZES are those of `cornerturn bench` (thesis lengths beamlets subbands). NAMEs: only these stages and pipelines
# (fft-1024, lofar.json). Fails where a ratio is above LIMIT (1.02). On a quiet machine; about an hour.
#
#   bench/builds.sh ../before/build build
#   PAIRS=15 bench/builds.sh ../before/build build correlator pipeline1.json
set -uo pipefail
other=$(cd "${1:?the folder of another build}" && pwd)
build=$(cd "${2:-build}" && pwd)
only=" ${*:3} "
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pairs=${PAIRS:-5} rounds=${ROUNDS:-9} sizes=${SIZES:-thesis lengths beamlets subbands} limit=${LIMIT:-1.02}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export POCL_AFFINITY=1 LC_ALL=C
slower=()

is_wanted() { [[ "$only" == "  " || "$only" == *" $1 "* ]]; }

# median, least and most of the numbers that it reads
middle() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'; }

# seconds BUILD ARGUMENTS..: of `bench`, the median of its rounds; nothing where it fails
seconds()
{
    rm -f times
    "$1/cornerturn" "${@:2}" --rounds "$rounds" --json times >/dev/null 2>log || return
    grep -oE '"default": \{"seconds": [^,]*' times | grep -m 1 -oE '[^ ]*$' || # its name may begin others
        grep -oE '"wall": \[[^]]*' times | head -n 1 | sed 's/.*\[//' | tr ',' '\n' | middle | cut -d' ' -f1
}

# run_seconds BUILD ARGUMENTS..: of `run`, from its first block to its last, without building
run_seconds()
{
    local n
    for ((n = 0; n < rounds; n += 3)); do
        "$1/cornerturn" "${@:2}" --quiet --stats times >/dev/null 2>log || return
        grep -oE '"wall_s": [^,]*' times | tail -n 1 | cut -d' ' -f2
    done | middle | cut -d' ' -f1
}

# compare NAME HOW ARGUMENTS..: a row of the table. The two take turns in being the first of a pair.
compare()
{
    local name=$1 how=$2 a b n median least most
    shift 2
    : >a && : >b && : >ratios
    "$how" "$other" "$@" >/dev/null # the kernels are compiled now
    for ((n = 0; n < pairs; n++)); do
        if ((n % 2)); then
            b=$("$how" "$build" "$@") && a=$("$how" "$other" "$@")
        else
            a=$("$how" "$other" "$@") && b=$("$how" "$build" "$@")
        fi
        if [ -z "$a" ] || [ -z "$b" ]; then
            echo "| $name | left out: $(head -n 1 log | tr '|' ' ' | cut -c 1-90) | | | |"
            return
        fi
        echo "$a" >>a && echo "$b" >>b
        awk "BEGIN { print $b / $a }" >>ratios
    done
    read -r median least most < <(middle <ratios)
    read -r a _ < <(middle <a)
    read -r b _ < <(middle <b)
    awk "BEGIN { printf \"| %s | %.4g | %.4g | %.3f | %.3f to %.3f |\n\", \"$name\", 1e3 * $a, 1e3 * $b, $median, $least, $most }"
    awk "BEGIN { exit !($median > $limit) }" && slower+=("$name")
}

cp -r "$root"/examples/. "$root"/bench/experiments/*.json "$work"
cd "$work" || exit 1
mkdir -p data
"$root/scripts/example_data.sh" "$other/cornerturn" || echo 'some data of examples are missing'

printf '| | ms, other | ms | ratio | pairs |\n|---|---:|---:|---:|---:|\n'
for size in $sizes; do
    "$other/cornerturn" bench --size "$size" --budget 0 --rounds 1 --json all >/dev/null || exit 1
    while read -r stage; do
        is_wanted "$stage" && compare "$stage" seconds bench "$stage" --size "$size" --budget 0
    done < <(grep -oE '"name": "[^"]*", "stage"' all | cut -d'"' -f4)
done
for pipeline in *.json stages/*/try.json; do
    is_wanted "$pipeline" || continue
    compare "$pipeline" seconds bench "$pipeline" --plan default --processes 1
    [ ! -e "$root/examples/$pipeline" ] || compare "run $pipeline" run_seconds run "$pipeline"
done
echo
echo "slower by more than the limit of $limit: ${slower[*]:-none}"
[ ${#slower[@]} -eq 0 ]
