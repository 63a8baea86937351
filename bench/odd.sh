#!/usr/bin/env bash
# odd.sh [BUILD]: what odd counts of stations cost a whole pipeline with its default plan, layouts and padding included:
# N stations of 2 polarizations, a filter bank of 256 channels, then 100 beams, or the visibilities of all pairs. COUNTS
# (37 49 52 61 63 96 100) and the multiples of 16 around them are rehearsed in turns, ROUNDS times (5). A row for each
# count: ms per second of signal, the straight line between its neighbours, and the median, least and most of the rounds'
# ratios of both. Fails where a median is above LIMIT (1.05). On a quiet machine; two minutes a round.
#
#   COUNTS=61 ROUNDS=9 bench/odd.sh build
set -uo pipefail
build=$(cd "${1:-build}" && pwd)
counts=${COUNTS:-37 49 52 61 63 96 100} rounds=${ROUNDS:-5} limit=${LIMIT:-1.05}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export POCL_AFFINITY=1 LC_ALL=C
cd "$work" || exit

# pipeline KIND STATIONS
pipeline()
{
    printf '{ "cornerturn": 1, "block": { "T": 131072 }, "nodes": {\n'
    printf '    "voltages": { "stage": "source.simulate", "stations": %d, "samples": 524288 },\n' "$2"
    printf '    "fir": { "stage": "fir", "input": "voltages", "channels": 256, "taps": 8 },\n'
    printf '    "fft": { "stage": "fft", "input": "fir" },\n'
    if [ "$1" = beams ]; then
        printf '    "beams": { "stage": "beamformer", "input": "fft", "positions": [%s], "directions": [%s] },\n' \
            "$(list "$2" 31 -17 ', 0')" "$(list 100 3.6 0.4)"
        printf '    "out": { "stage": "sink.raw", "input": "beams", "file": "out.raw" } } }\n'
    else
        printf '    "vis": { "stage": "correlator", "input": "fft", "integrate": 512 },\n'
        printf '    "out": { "stage": "sink.raw", "input": "vis", "file": "out.raw" } } }\n'
    fi
}

# list COUNT A B THIRD: a JSON list of [i A, i B THIRD]
list() { awk -v n="$1" -v a="$2" -v b="$3" -v third="${4-}" 'BEGIN { while (i < n) printf "%s[%g, %g%s]", i ? ", " : "", a * i, b * i++, third }'; }

# milliseconds per second of signal
time_of()
{
    "$build/cornerturn" bench "$1.json" --plan default --processes 1 --rounds 3 2>log | awk -F'|' '$2 ~ /^ block / { print $4 + 0 }'
}

needed=$(for n in $counts; do echo $((n / 16 * 16)) $(((n + 15) / 16 * 16)) "$n"; done | tr ' ' '\n' | sort -nu)
for kind in beams visibilities; do
    for n in $needed; do
        pipeline $kind "$n" >"$kind-$n.json"
        time_of "$kind-$n" >/dev/null # the kernels are compiled now
        [ ! -s log ] || { cat log >&2; exit 1; }
    done
done
for ((round = 0; round < rounds; round++)); do
    for kind in beams visibilities; do
        for n in $needed; do echo "$round $kind $n $(time_of "$kind-$n")"; done
    done
done >measured

echo "| pipeline | stations | ms per second of signal | on the line | ratio | least | most |"
echo "|---|---:|---:|---:|---:|---:|---:|"
awk -v counts="$counts" -v rounds="$rounds" -v limit="$limit" '
    function sort(v, n,   i, j, x) { for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] < v[j - 1]; j--) { x = v[j]; v[j] = v[j - 1]; v[j - 1] = x } }
    function median(v, n) { sort(v, n); return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2 }
    { ms[$1, $2, $3] = $4; kinds[$2] = 1 }
    END {
        n = split(counts, count, " ")
        for (kind in kinds) for (k = 1; k <= n; k++) {
            at = count[k]; low = int(at / 16) * 16; high = low == at ? low : low + 16
            for (r = 0; r < rounds; r++) {
                a = ms[r, kind, low]; b = ms[r, kind, high]
                of[r + 1] = ms[r, kind, at]; line[r + 1] = high > low ? a + (b - a) * (at - low) / 16 : a
                ratio[r + 1] = of[r + 1] / line[r + 1]
            }
            middle = median(ratio, rounds); bad += middle > limit
            printf "| %s | %d | %.1f | %.1f | %.2f | %.2f | %.2f |\n", kind, at, median(of, rounds), median(line, rounds), middle, ratio[1], ratio[rounds]
        }
        exit bad > 0
    }' measured
