#!/usr/bin/env bash
# blocks.sh [BUILD [NAME..]]: is the block that a pipeline without "block" gets (core/graph/block.c) a good one? Each
# pipeline of examples/ and bench/experiments (NAMEs: only these) is run without its "block", with files of a second of
# signal and of an hour (of which SPAN seconds are computed: 3), and rehearsed without sources and sinks: in the block
# that is chosen, and in blocks of FACTORS of it (1/16 to 8), the whole of a second among them. They take turns, ROUNDS
# times (3). A row of the table says the chosen block, the best one, milliseconds per second of signal in both (the
# median of the rounds) and their ratio, then all others. `run` counts from its first block to its last, without
# building kernels, and from when its memory was there. Fails where a ratio is above LIMIT (1.15). Files lie in TMPDIR
# (/dev/shm). On a quiet machine.
#
#   bench/blocks.sh build pipeline1.json survey.json
#   HOW=rehearse ROUNDS=1 bench/blocks.sh build          only one of second, hour, rehearse
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:-build}" && pwd)
only=" ${*:2} "
rounds=${ROUNDS:-3} span=${SPAN:-3} limit=${LIMIT:-1.15} factors=${FACTORS:-1/16 1/8 1/4 1/2 2 4 8}
work=$(TMPDIR=${TMPDIR:-/dev/shm} mktemp -d)
trap 'rm -rf "$work"' EXIT
export POCL_AFFINITY=1 XDG_DATA_HOME=$work/home LC_ALL=C
worse=()

is_wanted() { [[ "$only" == "  " || "$only" == *" $1 "* ]]; }

middle() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# in_block FILE [BLOCK]: the pipeline without its "block", or with this one; its voltages come from a file
in_block()
{
    tr '\n' ' ' <"$1" |
        sed -E 's/, *"block": \{[^}]*\}//; s/"block": \{[^}]*\} *,//
                s/\{ *"stage": "source.simulate".*"fir":/{ "stage": "source.npy", "file": "'"${PWD//\//\\/}"'\/data\/voltages.npy" }, "fir":/' |
        if [ -n "${2:-}" ]; then sed "s/\"cornerturn\": 1,/& \"block\": { \"T\": $2 },/"; else cat; fi
}

# number NAME FILE: the last one of this name
number() { grep -oE "\"$1\": [-0-9.e+]+" "$2" | tail -n 1 | cut -d' ' -f2; }

# voltages STATIONS SAMPLES: zeros
voltages()
{
    printf '\x93NUMPY\x01\x00\xb6\x00%-181s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': ($1, 2, $2, 2), }" >data/voltages.npy
    truncate -s $((192 + $1 * $2 * 4)) data/voltages.npy
    echo "{\"dims\": \"SPT\", \"type\": \"ci8\", \"sizes\": [$1, 2, $2], \"sample_time_s\": 5.12e-06, \"start_mjd\": 60000.3," \
        '"channel_width_hz": 195312.5, "frequency_hz": [150000000]}' >data/voltages.npy.json
}

# prepare NAME SECONDS: files of so much signal, zeros; of packets 8 s at most, since these are made
prepare()
{
    local samples=$(($2 * 195312)) few=$(($2 > 8 ? 8 : $2)) lane
    set=()
    case $1 in
    fil.json) cp made/pulse.fil data && truncate -s $((257 + $2 * 128000)) data/pulse.fil ;;
    station.json | beamlets.json)
        for lane in 0 1 2; do
            "$build/cornerturn" simulate data/lane_$lane.udp stations=1 "samples=$((few * 195312))" sb=$((256 + lane)) >/dev/null
        done
        cp data/lane_0.udp data/station.udp ;;
    night.json) "$build/cornerturn" simulate data/night.udp --observation night.json --subbands 8 --lanes 4 --seconds "$few" sb=100 start_mjd=60000.5 >/dev/null ;;
    observation.json) set=(--set "sky.samples=$((few * 195312))") ;;
    stages/boxcar/*) set=(--set "sky.samples=$((few * 1000))") ;;
    *-small.json) voltages 13 "$samples" ;;
    pipeline1.json | pipeline2.json | fanout.json) voltages 64 "$samples" ;; # those of bench/experiments
    visibilities.json) voltages 5 "$samples" ;;
    flag.json | stages/r*) voltages 3 "$samples" ;;
    stages/average/*) voltages 2 "$samples" ;;
    *) voltages 16 "$samples" ;;
    esac
}

# describe FILE: its block, seconds of signal in it, blocks in all
describe()
{
    "$build/cornerturn" explain "$1" "${set[@]}" --plan default >text 2>log || return
    sed -nE 's/.* blocks? of ([0-9]+) samples? \(([0-9.e+-]+) s\), ([0-9]+) blocks?.*/\1 \2 \3/p; s/.* blocks? of ([0-9]+) samples? \(([0-9.e+-]+) s\), stream.*/\1 \2 0/p' text | head -n 1
}

# timed FILE HOW SECONDS BLOCKS: milliseconds per second of signal
timed()
{
    local n=$4
    case $2 in
    rehearse)
        "$build/cornerturn" bench "$1" "${set[@]}" --plan default --processes 1 --rounds 5 --json times >/dev/null 2>log || return
        grep -oE '"wall": \[[^]]*' times | head -n 1 | sed 's/.*\[//' | tr ',' '\n' | middle | awk "{ print 1e3 * \$1 / $3 }"
        return ;;
    hour)
        n=$(awk "BEGIN { n = int($span / $3 + 0.999); if (n < 4) n = 4; if ($4 && n > $4) n = $4; print n }") ;;
    esac
    "$build/cornerturn" run "$1" "${set[@]}" --plan default --quiet --blocks "$n" --stats times >/dev/null 2>log || return
    awk "BEGIN { print 1e3 * $(number wall_s times) / $(number signal_s times) }"
}

# row NAME HOW: of the table
row()
{
    local name=$1 how=$2 folder block chosen per count seconds blocks all=() able=() factor n r
    folder=$(dirname "$name")
    in_block "$name" >"$folder/open.json"
    read -r chosen per count < <(describe "$folder/open.json")
    if [ -z "${chosen:-}" ]; then
        echo "| $name | $how | left out: $(head -n 1 log | tr '|' ' ' | cut -c 1-90) | | | | |"
        return
    fi
    all=("$chosen")
    for factor in $factors; do
        block=$(awk "BEGIN { b = $chosen * $factor; print (b == int(b) && b >= 256 && ($count == 0 || b < 2 * $count * $chosen) ? b : 0) }")
        [ "$block" = 0 ] || all+=("$block")
    done
    rm -f t.*
    for block in "${all[@]}"; do
        in_block "$name" "$block" >"$folder/b$block.json"
        read -r n seconds blocks < <(describe "$folder/b$block.json") && [ "$n" = "$block" ] && able+=("$block $seconds $blocks") || continue
        "$build/cornerturn" run "$folder/b$block.json" "${set[@]}" --plan default --quiet --build-only
    done
    for ((r = 0; r < rounds; r++)); do
        for n in "${able[@]}"; do
            read -r block seconds blocks <<<"$n"
            n=$(timed "$folder/b$block.json" "$how" "$seconds" "$blocks") && [ -n "$n" ] && echo "$n" >>"t.$block"
        done
    done
    rm -f "$folder"/b*.json
    for block in "${all[@]}"; do [ ! -e "t.$block" ] || echo "$block $(middle <"t.$block")"; done | sort -g |
        awk -v chosen="$chosen" -v name="$name" -v how="$how" '
            { all = all sprintf("%s%s: %.4g", NR > 1 ? ", " : "", $1, $2); if (!NR || !best || $2 < best) { best = $2; at = $1 } if ($1 == chosen) own = $2 }
            END { printf "| %s | %s | %d | %d | %.4g | %.4g | %.2f | %s |\n", name, how, chosen, at, own, best, own / best, all }' | tee row
    awk -F'|' "{ exit !(\$8 > $limit) }" row && worse+=("$name ($how)")
    return 0
}

cp -r "$root"/examples/. "$root"/bench/experiments/*.json "$work"
for name in pipeline1 pipeline2; do cp "$root/examples/$name.json" "$work/example-$name.json"; done
rm -f "$work"/scaling-* "$work"/embed.json
cd "$work" || exit 1
mkdir -p data made
"$build/cornerturn" simulate made/pulse.fil duration_s=3 channels=128 frequency_hz=350e6 bandwidth_hz=64e6 >/dev/null

printf '| pipeline | how | block | best | ms/s | best | ratio | all |\n|---|---|---:|---:|---:|---:|---:|---|\n'
for pipeline in *.json stages/{average,boxcar,requantise,rfi}/try.json; do
    is_wanted "$pipeline" && [ "$pipeline" != open.json ] || continue
    for how in ${HOW:-second hour rehearse}; do
        prepare "$pipeline" "$([ "$how" = second ] && echo 1 || echo 3600)"
        row "$pipeline" "$how"
    done
done
echo
echo "worse than the limit of $limit: ${worse[*]:-none}"
[ ${#worse[@]} -eq 0 ]
