#!/usr/bin/env bash
# simulate_test.sh: station packets that cornerturn simulate makes: of several stations and lanes, some lost; the same
# whether they go to files or by UDP to who listens; what a pipeline says of the observation.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../shared/check.sh"
in_a_folder

sky=(sb=100 seed=5 start_mjd=60000.5 'sources=[{"amplitude": 0.3, "az": 40, "el": 60}]')
"$CORNERTURN" simulate night.udp --stations 2 --subbands 6 --lanes 2 --lost 0.02 samples=57600 "${sky[@]}" >said ||
    fail "no packets were made"
grep -qx 'wrote night_S000_L0.udp, night_S000_L1.udp, night_S001_L0.udp and night_S001_L1.udp' said || fail "what was written: $(cat said)"
"$CORNERTURN" info night_S001_L1.udp >said
grep -q 'station  *2, lane 1' said && grep -q 'P 2, T 57600, C 3' said || fail "the last lane: $(cat said)"

# names FILE: the lanes of two stations, quoted, in lists; FILE is a printf format of station and lane
names()
{
    local s l list=
    for s in 0 1; do
        list+="${list:+, }["
        for l in 0 1; do list+="$([ $l = 0 ] || echo ', ')\"$($1 $s $l)\""; done
        list+="]"
    done
    echo "[$list]"
}
file() { printf 'night_S%03d_L%d.udp' "$1" "$2"; }
port=$((20000 + $$ % 20000))
address() { echo "127.0.0.1:$((port + 2 * $1 + $2))"; }
pipeline()
{
    echo "{ \"cornerturn\": 1, \"block\": { \"T\": 4096 }, \"nodes\": {
  \"v\": { \"stage\": \"source.lofar\", \"span\": \"all\", $1, \"subbands\": 100 },
  \"out\": { \"stage\": \"sink.raw\", \"input\": \"v\", \"file\": \"$2\", \"layout\": \"TSCP\" } } }"
}
pipeline "\"files\": $(names file)" files.raw >files.run
"$CORNERTURN" run files.run 2>log || fail "$(cat log)"
# 4 lanes of 3600 packets, of which 288 are lost on average, 17 more or less
lost=$(sed -nE 's/.* ([0-9]+) of [0-9]+ samples missing.*/\1/p' log)
[ "$lost" -gt $((16 * 220)) ] && [ "$lost" -lt $((16 * 360)) ] || fail "lost: $(tail -n 1 log)"
kept=$(cat night_*.udp | wc -c)
[ $((4 * 3600 * 208 - kept)) = $((lost * 13)) ] || fail "$kept bytes of packets, $lost samples lost"

# By UDP: the same samples, once the listener has begun; it takes half a second of three.
pipeline "\"listen\": $(names address), \"duration_s\": 0.5, \"start_utc\": \"2023-02-25T12:00:02\"" heard.raw >listen.run
"$CORNERTURN" simulate --to "127.0.0.1:$port" --stations 2 --subbands 6 --lanes 2 --seconds 6 --lost 0.02 --speed 1 \
    "${sky[@]}" 2>sent & sender=$!
"$CORNERTURN" run listen.run 2>log || fail "$(cat log)"
wait "$sender" || fail "$(cat sent)"
grep -qE '^127.0.0.1:[0-9]+: sent 287[0-9]{3} packets, 6 s, in ([6-9]|[0-9.]{3,}) s$' sent || fail "what was sent: $(cat sent)"
"$CORNERTURN" simulate whole.udp --stations 2 --subbands 6 --lanes 2 --seconds 3 --lost 0.02 "${sky[@]}" >/dev/null
file() { printf 'whole_S%03d_L%d.udp' "$1" "$2"; }
pipeline "\"files\": $(names file)" whole.raw >files.run
"$CORNERTURN" run files.run 2>/dev/null
# a sample of 2 stations, 6 subbands, 2 polarizations takes 48 bytes; 2 s are 390625 samples
size=$(stat -c %s heard.raw)
[ "$size" -ge $((97656 * 48)) ] && cmp -i "0:$((390625 * 48))" -n "$size" heard.raw whole.raw ||
    fail "what was heard is not what was sent: $size bytes"

# What a pipeline says: its stations and site, constants put in.
cat >night.json <<'END'
{ "cornerturn": 1, "constants": { "site": [3826577.5, 461022.6, 5064892.5] },
  "observation": { "telescope": "LOFAR \"core\"", "site": "$site", "names": ["CS1", "CS2"],
                   "stations": ["$site", [3826703.895, 461350.271, 5064769.901]], "ra_deg": 123.5, "dec_deg": 48 },
  "nodes": {} }
END
"$CORNERTURN" simulate said.npy --observation night.json --subbands 2 --seconds 0.01 start_mjd=60000 \
    'sources=[{"ra_deg": 123.5, "dec_deg": 48}]' >/dev/null || fail "a source on the sky"
grep -q '"telescope": "LOFAR \\"core\\""' said.npy.json && grep -qE '"names": \["CS1", "CS2"\]' said.npy.json ||
    fail "what was said: $(cat said.npy.json)"
refuses() # refuses TEXT ARGUMENTS...
{
    local text=$1
    shift
    "$CORNERTURN" simulate "$@" 2>log && fail "$*: done"
    grep -qF "$text" log || fail "$*: $(cat log)"
    [ ! -e x.udp ] || fail "$*: something was written"
}
refuses 'expected a file to write, or --to'
refuses 'files.run: expected a pipeline with an "observation"' x.udp --observation files.run --seconds 1
refuses '65530: 12 ports from there on, expected at most 6' --to 127.0.0.1:65530 --stations 3 --lanes 4 --subbands 4 --seconds 1
refuses 'files have no speed' x.udp --seconds 1 --speed 2
[ "$failed" -eq 0 ]
