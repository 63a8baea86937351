#!/usr/bin/env bash
# night.sh: examples/night.json on packets that are made for it: how many times faster than real time, where the time goes,
# what part of the floor each step reaches, memory; and how many machines a night of all subbands takes, predicted. The
# tables of docs/night.md. On a quiet machine.
#
#   bench/night.sh [--subbands 8] [--seconds 3] [--rounds 5] [--folder /dev/shm] [--network 100Gb/s,2us] [--whole 488]
#   bench/night.sh --generator [--subbands 488] [--seconds 0.5]
#
# Packets take 2.35 MB for each subband and second in the folder. --whole: subbands of the prediction (0: none), whose
# packets are sent to this computer's ports 16130 to 16141. CORNERTURN: the command (build/cornerturn).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cornerturn=$(realpath "${CORNERTURN:-build/cornerturn}")
subbands=8 seconds=3 rounds=5 folder=/dev/shm network=100Gb/s,2us whole=488 generator=
while [ $# -gt 0 ]; do
    case $1 in
        --subbands | --seconds | --rounds | --folder | --network | --whole) declare "${1#--}=${2:?a value of $1}"; shift 2 ;;
        --generator) generator=1; shift ;;
        *) echo "night.sh: no option $1" >&2; exit 2 ;;
    esac
done
work=$(mktemp -d "$folder/night.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp examples/night.json "$work"
cd "$work"
mkdir data
export LC_ALL=C

sky=(sb=12 start_mjd=60000.5 'sources=[{"ra_deg": 350.85, "dec_deg": 58.815, "amplitude": 0.3}]'
    'pulsar={"dm": 12, "period_s": 0.7, "time_s": 0.35, "width_s": 0.002, "amplitude": 0.25, "ra_deg": 352.4, "dec_deg": 58.2}'
    'tones=[{"frequency_hz": 250000, "amplitude": 0.5, "az": 200, "el": 2}]')
# packets SUBBANDS SECONDS [TO]: makes them, and times that
packets()
{
    local TIMEFORMAT='%R %U %S' where=(data/night.udp)
    [ -z "${3:-}" ] || where=(--to "$3" --speed 0)
    { time "$cornerturn" simulate "${where[@]}" --observation night.json --subbands "$1" --lanes 4 --seconds "$2" --lost 0.001 \
        "${sky[@]}" >/dev/null 2>said; } 2>took || { cat said took >&2; exit 1; }
}
# "generator" of so many subbands and seconds, by `took`
generated() { awk -v c="$1" -v s="$2" -v what="$3" '{ printf "| %d | %s | %.3g | %.2f | %.2f | %.3g |\n", c, what, s / $1, $2, $3, 1e9 * ($2 + $3) / (c * s * 195312.5 * 12) }' took; }

printf '3 stations of 4 lanes, 8 bits. The generator: user and system are seconds of cores, a number is a real one of 8 bits.\n\n'
printf '| subbands | packets go | times real time | user | system | ns a number |\n|---:|---|---:|---:|---:|---:|\n'
packets "$subbands" "$seconds" 127.0.0.1:50000
generated "$subbands" "$seconds" "by UDP, to nobody"
packets "$subbands" "$seconds"
generated "$subbands" "$seconds" "to files"
[ -z "$generator" ] || exit 0

run() # run OUT: a trace, statistics, and seconds of cores
{
    local TIMEFORMAT='%U %S'
    { time "$cornerturn" run night.json --stats "$1.stats" --trace --json >"$1.trace" 2>said; } 2>"$1.took" || { cat said >&2; exit 1; }
}
last() { tail -n 1 "$2" | grep -o "\"$1\": *[0-9.e+-]*" | head -n 1 | sed 's/.*: *//'; }
run warm
for ((i = 0; i < rounds; i++)); do
    rm -f "$i.stats"
    run "$i"
    echo "$(last real_time "$i.stats") $i"
done | sort -n >all
middle=$(awk '{ run[NR] = $2 } END { print run[int((NR + 1) / 2)] }' all)
printf '\nThe pipeline, %s subbands, %s s, %s runs: %s times real time (median; %s to %s).\n' "$subbands" "$seconds" "$rounds" \
    "$(last real_time "$middle.stats")" "$(head -n 1 all | cut -d' ' -f1)" "$(tail -n 1 all | cut -d' ' -f1)"
awk -v signal="$(last signal_s "$middle.stats")" -v wall="$(last wall_s "$middle.stats")" -v memory="$(last memory_most "$middle.stats")" \
    -v some="$subbands" -v all="$whole" '
    { printf "%.3g s of signal in %.3g s; %.2f s of the cores for the user, %.2f s for the system; at most %.0f MB resident.\n", signal, wall, $1, $2, memory / 1e6
      if (all > 0)
          printf "%d subbands keep %.3g cores busy, where each of these takes subbands of its own; they send %.3g Gb/s.\n",
              all, ($1 + $2) / signal * all / some, all * 3 * 195312.5 * 4 * 8 * 1.002 / 1e9 }' "$middle.took"
# Floor: operations over the rate of multiplications and additions, or bytes over that of a non-temporal copy.
"$cornerturn" bench detect --size small --budget 0 --rounds 9 --json limits.json >/dev/null
rate() { grep -o "\"$1\": {\"rate\": [0-9.e+]*" limits.json | sed 's/.* //'; }
printf 'Limits: %.0f G operations/s, %.1f GB/s.\n\n' "$(rate fma_f32 | awk '{ print $1 / 1e9 }')" "$(rate nt_copy | awk '{ print $1 / 1e9 }')"
printf '| step | stage | ms a second of signal | share | floor, ms | reached |\n|---|---|---:|---:|---:|---:|\n'
grep '"fired"' "$middle.trace" | sed -E 's/.*"name": "([^"]*)", "stage": "([^"]*)", "fired": ([0-9]+), "seconds": ([0-9.e+-]+), "flops": ([0-9.e+]+), "bytes": ([0-9.e+]+).*/\1\t\2\t\4\t\5\t\6/' |
    awk -F'\t' -v fma="$(rate fma_f32)" -v copy="$(rate nt_copy)" -v signal="$(last signal_s "$middle.stats")" '
        { name[NR] = $1; stage[NR] = $2; s[NR] = $3; all += $3; f = $4 / fma; b = $5 / copy; floor[NR] = f > b ? f : b }
        END { for (i = 1; i <= NR; i++)
                  printf "| %s | %s | %.2f | %.1f %% | %.2f | %.2f |\n", name[i], stage[i], 1e3 * s[i] / signal, 100 * s[i] / all,
                      1e3 * floor[i] / signal, (s[i] > 0 ? floor[i] / s[i] : 0) }'
[ "$whole" -gt 0 ] || exit 0

# All subbands on as many machines as this one, by the trace of these subbands, each of which costs the same; and by what a
# transpose takes here. What comes is seen from the first packets.
"$cornerturn" run night.json --set 'phased.layout={"write": "SPTC"}' --set 'vis.layout={"read": "CTSP"}' --trace --json 2>said | grep -m 1 '"stage": "transpose"' >transpose ||
    { cat said >&2; exit 1; }
sed "/^\"steps\"/r transpose" "$middle.trace" >here.trace
sed 's/"files": "$lanes"/"listen": "$ports", "duration_s": 3600/; s/"block": 65536 }/"block": 16384 }/' night.json >live.json
"$cornerturn" simulate --to 127.0.0.1:16130 --observation night.json --subbands "$whole" --lanes 4 --seconds 3600 sb=12 start_mjd=60000.5 2>sent &
sender=$!
trap 'kill $sender; rm -rf "$work"' EXIT
sleep 3
printf '\nA night of %s subbands, predicted; machines as this one, %s.\n\n' "$whole" "$network"
"$cornerturn" explain live.json 2>said | grep '^memory' | sed 's/^memory/One machine needs/' || { cat said >&2; exit 1; }
printf '\n| machines | times real time | device, ms a second | travels, ms a second | efficiency |\n|---:|---:|---:|---:|---:|\n'
for n in 2 3 6 12 24; do
    "$cornerturn" explain live.json --ranks "$n" --network "$network" --journal here.trace --json >ranks.json 2>said || { cat said >&2; exit 1; }
    grep -o '"foretold".*' ranks.json >foretold.json
    first() { grep -o "\"$1\": *[0-9.e+-]*" "$2" | head -n 1 | sed 's/.*: *//'; }
    awk -v n="$n" -v signal="$(first block_s ranks.json)" -v block="$(first block_s foretold.json)" -v device="$(first device_s foretold.json)" \
        -v travel="$(first travel_s foretold.json)" -v efficiency="$(first efficiency foretold.json)" 'BEGIN {
        printf "| %d | %.3g | %.3g | %.3g | %.2f |\n", n, signal / block, 1e3 * device / signal, 1e3 * travel / signal, efficiency }'
done
