#!/usr/bin/env bash
# search.sh: what a search for pulses finds in data with interference, with and without each of the steps against it: which part
# of the bursts, how much of their S/N, how many false candidates an hour, and how long a minute of data takes.
#
#   bench/search.sh [--seconds 60] [--bits 8] [--seed 1] [--data "clean impulses carriers switching gains all"]
#                   [--chains "none flag zerodm all"] [--pieces 1] [--bursts 0.33] [--least 6] [--most 300]
#                   [--threshold 8] [--trials 1241] [--json FILE] [--folder /dev/shm] [--keep] [--check]
#
# bench.search makes the data (a seed and table of bursts a piece); `clean` has bursts and noise only, `all` has all kinds of
# interference. Time is that of the run's blocks, from the file to the list, without making the data or building kernels, and
# as a multiple of what dedispersion takes of it. --pieces: so many of these files, of other seeds, are added up. Prints a row for each kind of data and chain,
# and with --json a line of JSON. --check: ends with 1 unless each row has every burst of S/N 12 and above, once, and no
# false candidate. BUILD: the build's folder (build), which makes the data; CORNERTURN: the command that searches (its).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "${BUILD:-build}") here=$PWD/bench
cornerturn=$(realpath "${CORNERTURN:-$build/cornerturn}")
seconds=60 bits=8 seed=1 data="clean impulses carriers switching gains all" chains="none flag zerodm all" pieces=1 bursts=0.33
least=6 most=300 threshold=8 trials=1241 json='' folder=/dev/shm keep='' check=''
while [ $# -gt 0 ]; do
    case $1 in
        --seconds | --bits | --seed | --data | --chains | --pieces | --bursts | --least | --most | --threshold | --trials | --json | --folder)
            declare "${1#--}=${2:?a value of $1}"; shift 2 ;;
        --keep | --check) declare "${1#--}=1"; shift ;;
        *) echo "search.sh: no option $1" >&2; exit 2 ;;
    esac
done
# What stands between the file and dedispersion, by the name of the chain; each reads the one before.
declare -A chains_of=([none]='' [flag]='flag' [zerodm]='zerodm' [all]='flag zerodm')
declare -A scale_of=([1]=16 [2]=8 [4]=3 [8]=1 [16]=0.03125 [32]=8) # an rms is about 8 counts then
declare -A step_of=([flag]='"stage": "flag"' [zerodm]='"stage": "zerodm", "mode": "fit", "type": "i8", "scale": '"${scale_of[$bits]}")

for chain in $chains; do
    [ -n "${chains_of[$chain]+known}" ] || { echo "search.sh: no chain $chain, expected one of ${!chains_of[*]}" >&2; exit 2; }
done
[ -z "$json" ] || { json=$(realpath "$json"); : >"$json"; }
work=$(mktemp -d "$folder/search.XXXXXX")
[ -n "$keep" ] && echo "in $work" >&2 || trap 'rm -rf "$work"' EXIT
export LC_ALL=C POCL_AFFINITY=${POCL_AFFINITY:-1}
cd "$work"

chain() # chain NAME
{
    local before=fil step
    for step in ${chains_of[$1]}; do
        printf '    "%s": { %s, "input": "%s" },\n' "$step" "${step_of[$step]}" "$before"
        before=$step
    done
    printf '    "dd": { "stage": "dedisp", "input": "%s", "dm": { "start": 0, "step": 0.5, "count": %s } },\n' "$before" "$trials"
}

pipeline() # pipeline CHAIN FILE
{
    printf '{ "cornerturn": 1, "nodes": {\n    "fil": { "stage": "source.sigproc", "file": "%s.fil" },\n' "$2"
    chain "$1"
    printf '    "pulses": { "stage": "pulses", "input": "dd", "widest": 32, "threshold": %s },\n' "$threshold"
    printf '    "found": { "stage": "sink.candidates", "input": "pulses", "file": "found.json", "csv": "found.csv" } } }\n'
}

interference() # of a kind of data, for bench.search
{
    case $1 in
        clean) ;;
        all) echo impulses=1 carriers=1 switching=1 gains=1 ;;
        *) echo "$1=1" ;;
    esac
}

make_data() # make_data KIND PIECE
{
    # shellcheck disable=SC2046
    "$build/bench/bench.search" "$1.$2" "seed=$((seed + $2))" "seconds=$seconds" "bits=$bits" "bursts=$bursts" "least=$least" \
        "most=$most" $(interference "$1")
    "$build/cornerturn" run "$1.$2.json" >said 2>&1 || { cat said >&2; exit 1; }
}

# Tables of several pieces as one: with times later by BY s, and one head.
append() { awk -F, -v OFS=, -v by="$1" -v head="$([ -s "$3" ] || echo 1)" '
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "Time" || $i == "time_s") at = i; if (head) print; next }
    { $at = sprintf("%.6f", $at + by); print }' "$2" >>"$3"; }

search() # search KIND PIECE CHAIN
{
    pipeline "$3" "$1.$2" >"$1.$3.json"
    if ! "$cornerturn" run "$1.$3.json" --trace >trace 2>&1; then
        grep -v '^ *$' trace | tail -n 1 | tr -d '"\\' | cut -c1-200 >"$1.$3.failed"
        return
    fi
    append "$((seconds * $2))" found.csv "$1.$3.found"
    awk '/^[0-9]+ blocks? in/ { blocks = $1 } $3 ~ /^[0-9]+$/ && NF >= 6 { print $1, $3 * $4 }
        /^the block/ { print "block", blocks * $(NF - 2) }' trace >>"$1.$3.ms"
}

# report KIND CHAIN: a line of JSON
report()
{
    local whole=$((seconds * pieces))
    printf '{"data": "%s", "chain": "%s", "bits": %s, "seconds": %s, ' "$1" "$2" "$bits" "$whole"
    if [ -s "$1.$2.failed" ]; then
        printf '"failed": "%s"}\n' "$(cat "$1.$2.failed")"
        return
    fi
    awk -v threshold="$threshold" -v seconds="$whole" -v dt=1e-3 -v low=1250.29 -v high=1549.71 -v each="$work/$1.$2.each" \
        -f "$here/search_match.awk" "$1.truth" "$1.$2.found"
    awk -v seconds="$whole" '{ if (!($1 in ms)) name[n++] = $1; ms[$1] += $2 * 60 / seconds }
        END { printf ", \"ms_a_minute\": {"; for (i = 0; i < n; i++) printf "%s\"%s\": %.1f", i ? ", " : "", name[i], ms[name[i]]
              print "}}" }' "$1.$2.ms"
}

# row: of a line of JSON, one of a table; ends with 1 where --check asks for more
row()
{
    awk -v check="$check" '
        function of(key) { return match($0, "\"" key "\": *\"?[^,\"}]*") ? substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) : "" }
        function text(key,   x) { x = of(key); gsub(/^"/, "", x); return x }
        /"failed"/ { printf "| %s | %s | %s |||||||||\n", text("data"), text("chain"), text("failed"); exit check != "" }
        { dd = of("dd"); all = of("block")
          printf "| %s | %s | %d of %d | %.3f | %d | %d | %d | %.4g | %s | %.0f | %.2f |\n", text("data"), text("chain"), of("found_10"), of("bursts_10"),
              of("snr_of_theory"), of("rows"), of("extra"), of("marked"), of("false_an_hour"), text("strongest_false"), all, all / dd
          bad = of("false") > 0 || of("extra") > 0
          for (n = split("12-16 16-24 24-48 48-100 100-300", bin, " "); n > 0; n--)
              if (match($0, "\"" bin[n] "\": [[][0-9]+, [0-9]+")) {
                  split(substr($0, RSTART + length(bin[n]) + 5, RLENGTH - length(bin[n]) - 5), have, ", ")
                  bad = bad || have[1] < have[2]
              }
          exit check != "" && bad }'
}

printf '%s bits, %s s of each kind, threshold %s, %s trials\n\n' "$bits" "$((seconds * pieces))" "$threshold" "$trials"
printf '| data | chain | found, of S/N 10 and above | S/N of theory | rows | extra | marked | false an hour | strongest false | ms a minute of data | of dedispersion |\n'
printf '|---|---|---:|---:|---:|---:|---:|---:|---|---:|---:|\n'
bad=0
for kind in $data; do
    for ((piece = 0; piece < pieces; piece++)); do
        make_data "$kind" "$piece"
        append "$((seconds * piece))" "$kind.$piece.csv" "$kind.truth"
        for chain in $chains; do search "$kind" "$piece" "$chain"; done
        [ -n "$keep" ] || rm -f "$kind.$piece.fil"
    done
    for chain in $chains; do
        report "$kind" "$chain" >line
        [ -z "$json" ] || cat line >>"$json"
        row <line || bad=1
    done
done
exit "$bad"
