#!/usr/bin/env bash
# cold.sh OTHER [BUILD [PIPELINE..]]: how long does a first run wait for its kernels? Pipelines of examples/ (lofar
# survey pipeline1 pipeline2 search) are built with an empty kernel cache (`run --build-only`) by the commands of both
# folders in turns, TURNS times (5). A row for each: medians in seconds, and the median, least and most of BUILD's time
# over OTHER's. On a quiet machine of two cores or more; two minutes.
#
#   bench/cold.sh ../before/build build lofar search
set -uo pipefail
other=$(cd "${1:?the folder of another build}" && pwd)
build=$(cd "${2:-build}" && pwd)
pipelines=("${@:3}") turns=${TURNS:-5}
[ ${#pipelines[@]} -gt 0 ] || pipelines=(lofar survey pipeline1 pipeline2 search)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
cd "$work" || exit
cp -r "$root"/examples/. . && mkdir -p data
"$build/cornerturn" run observation.json >log 2>&1 || { cat log >&2; exit 1; }

# seconds BUILD PIPELINE
seconds()
{
    local begun
    rm -rf cache && mkdir cache
    begun=$(date +%s%N)
    POCL_CACHE_DIR=$work/cache "$1/cornerturn" run "$2.json" --plan default --build-only >log 2>&1 || { cat log >&2; exit 1; }
    echo $((($(date +%s%N) - begun) / 1000000)) | awk '{ print $1 / 1000 }'
}

# median, least and most of the numbers that it reads
middle() { sort -g | awk '{ v[NR] = $1 } END { printf "%.2f %.2f %.2f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'; }

echo "| pipeline | other s | build s | ratio | least | most |"
echo "|---|---:|---:|---:|---:|---:|"
for p in "${pipelines[@]}"; do
    for ((n = 0; n < turns; n++)); do echo "$(seconds "$other" "$p") $(seconds "$build" "$p")"; done >both
    read -r a _ < <(cut -d' ' -f1 both | middle; echo)
    read -r b _ < <(cut -d' ' -f2 both | middle; echo)
    read -r ratio least most < <(awk '{ print $2 / $1 }' both | middle; echo)
    echo "| $p | $a | $b | $ratio | $least | $most |"
done
