#!/usr/bin/env bash
# packets.sh: four lanes of station packets, 122 beamlets of 8 bits each (382 MB/s), to Stokes I of 16 samples
# as a filterbank: how many times faster than they were observed files are worked through, or whether
# any packet is lost of what is sent at full rate to this computer's own ports.
#
#   bench/packets.sh [--seconds 6.7] [--rounds 5] [--block 16384] [--folder /dev/shm]
#   bench/packets.sh --listen 60 [--block 16384]
#
# BUILD is the folder of a build with tests (build). Needs 400 MB a second of packets in the folder.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(cd "${BUILD:-build}" && pwd)
seconds=6.7 rounds=5 block=16384 folder=/dev/shm listen=
while [ $# -gt 0 ]; do
    case $1 in
        --seconds) seconds=$2 ;;
        --rounds) rounds=$2 ;;
        --block) block=$2 ;;
        --folder) folder=$2 ;;
        --listen) listen=$2 ;;
        *) echo "packets.sh: no option $1: --seconds, --rounds, --block, --folder, --listen" >&2; exit 2 ;;
    esac
    shift 2
done
cmake --build "$build" --target cornerturn test.sender >/dev/null
work=$(mktemp -d "$folder/packets.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
export POCL_AFFINITY=1 LC_ALL=C

# pipeline SOURCE: its parameters
pipeline()
{
    cat <<END_OF_IT
{ "cornerturn": 1, "block": { "T": $block }, "nodes": {
  "v": { "stage": "source.lofar", "subbands": 12, $1 },
  "power": { "stage": "detect", "input": "v", "stokes": "I", "integrate": 16 },
  "out": { "stage": "sink.sigproc", "input": "power", "file": "power.fil" } } }
END_OF_IT
}
# run: the pipeline; R, and seconds of both cores, of all, and of each step
run()
{
    local TIMEFORMAT='%U %S %R'
    rm -f power.fil
    { time "$build/cornerturn" run packets.run --quiet --stats stats.jsonl 2>log; } 2>time || { cat log >&2; exit 1; }
    tail -n 1 stats.jsonl |
        sed -E 's/.*"wall_s": ([0-9.e-]+).*"real_time": ([0-9.e-]+).*"steps": \{"v": ([0-9.e-]+), "power": ([0-9.e-]+), "out": ([0-9.e-]+)\}.*/\2 \1 \3 \4 \5/' |
        awk '{ m = $3 > $4 ? $3 : $4; m = m > $5 ? m : $5
               printf "R %.2f: %.3f s, v %.3f, power %.3f, out %.3f; %.1f %% beyond the slowest\n", $1, $2, $3, $4, $5, 100 * ($2 / m - 1) }'
    awk '{ printf "    processors: %.2f s of the user, %.2f s of the system, in %.2f s\n", $1, $2, $3 }' time
}

if [ -z "$listen" ]; then
    # whole blocks
    packets=$(awk -v s="$seconds" -v b="$block" 'BEGIN { n = int(s * 195312.5 / b); print (n < 1 ? 1 : n) * b / 16 }')
    "$build/tests/test.sender" --beamlets 122 --packets "$packets" lane0 lane1 lane2 lane3
    pipeline '"files": ["lane0", "lane1", "lane2", "lane3"]' >packets.run
    run >/dev/null # kernels are built, files are in memory
    for ((i = 0; i < rounds; i++)); do run; done | tee all
    sed -nE 's/^R ([0-9.]+):.*/\1/p' all | sort -n |
        awk '{ r[NR] = $1 } END { printf "R: median %.2f, least %.2f, most %.2f\n", r[int((NR + 1) / 2)], r[1], r[NR] }'
    exit
fi

port=$((20000 + $$ % 20000))
lanes=("127.0.0.1:$port" "127.0.0.1:$((port + 1))" "127.0.0.1:$((port + 2))" "127.0.0.1:$((port + 3))")
pipeline "\"listen\": [$(printf '"%s", ' "${lanes[@]}" | sed 's/, $//')], \"duration_s\": $listen" >packets.run
"$build/tests/test.sender" --beamlets 122 --packets $(((listen + 12) * 12207)) --rate 12207 "${lanes[@]}" & sender=$!
run
kill "$sender" 2>/dev/null || true
wait "$sender" 2>/dev/null || true
grep -E 'missing|dropped|late|out of order' log && exit 1
echo "$(stat -c %s power.fil) bytes of $listen s: none lost"
