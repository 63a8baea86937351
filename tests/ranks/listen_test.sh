#!/usr/bin/env bash
# listen_test.sh BUILD: who listens over several ranks opens on each rank the ports of its stations, and no others, and
# writes what one process makes of the same packets from files. What a rank misses is said once.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=$(cd "${1:-build}" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"
sender=$build/tests/test.sender

port=$((20000 + $$ % 20000))
at() { echo "127.0.0.1:$((port + $1))"; }
# pipeline LANES OUT [MORE]
pipeline()
{
    cat <<END
{ "cornerturn": 1, ${4:-} "nodes": {
  "v": { "stage": "source.lofar", $1${3:-} },
  "power": { "stage": "detect", "input": "v", "stokes": "I" },
  "p": { "stage": "sink.npy", "input": "power", "file": "power.$2.npy" },
  "out": { "stage": "sink.raw", "input": "v", "file": "$2" } } }
END
}
# heard LANES OUT [MORE]
heard()
{
    pipeline "\"listen\": $1, \"duration_s\": 0.65536, \"start_utc\": \"2022-06-29T01:30:00\"" "$2" "${3:-}" "${4:-}"
}
faults=(--lost 97 --swapped 61 --repeated 43)
"$sender" --packets 8000 "${faults[@]}" a b c d
send() { "$sender" --packets 11000 "${faults[@]}" --before 120000 --rate 12207 "$@" & }
# same N LANES NAME FILES [MORE]: the packets of files, heard by N ranks
same()
{
    local n=$1 lanes=$2 name=$3
    pipeline "\"files\": $4" files "" "${6:-}" >files.run
    "$CORNERTURN" run files.run --quiet 2>err || fail "$name: files: $(cat err)"
    # The ranks' kernels are built before packets come: the sender does not wait.
    ranks "$n" "$CORNERTURN" run files.run --quiet 2>err || fail "$name: files, $n ranks: $(cat err)"
    heard "$lanes" heard "${5:-}" "${6:-}" >heard.run
    send "$(at 0)" "$(at 1)" "$(at 2)" "$(at 3)"
    ranks "$n" "$CORNERTURN" run heard.run --quiet 2>err || fail "$name: $(cat err)"
    wait
    cmp -s files heard || fail "$name: other samples: $(cat err)"
    cmp -s power.files.npy power.heard.npy || fail "$name: other powers"
    [ "$(grep -c ': 127.0.0.1:.* samples missing' err)" = 4 ] || fail "$name: four lanes' account: $(cat err)"
}
same 2 "[[\"$(at 0)\", \"$(at 1)\"], [\"$(at 2)\", \"$(at 3)\"]]" "two lanes for each station" '[["a", "b"], ["c", "d"]]'
same 3 "[[\"$(at 0)\"], [\"$(at 1)\"], [\"$(at 2)\"], [\"$(at 3)\"]]" "one lane for each, pinned" \
    '[["a"], ["b"], ["c"], ["d"]]' ', "layout": "S|PTC"' '"block": { "T": 8192 },'

# fails WHAT SENTENCE: of two ranks the second one cannot go on, which is said once
fails()
{
    rm -f heard power.heard.npy
    ranks 2 "$CORNERTURN" run heard.run --quiet 2>err
    [ $? = 5 ] || fail "$1: another exit code"
    [ "$(grep -cF "$2" err)" = 1 ] || fail "$1: $(cat err)"
    [ ! -e heard ] && [ ! -e power.heard.npy ] || fail "$1: an output is left"
}
heard "[[\"$(at 0)\"], [\"$(at 1)\"]]" heard >heard.run
begun=$SECONDS
send "$(at 0)"
fails "a lane without packets" "$(at 1): no packet for 5 s"
[ $((SECONDS - begun)) -le 12 ] || fail "a silent lane is waited for too long"
wait
heard "\"$(at 1)\"" other >other.run
(while [ ! -e done ]; do timeout 20 "$CORNERTURN" explain other.run; done) >/dev/null 2>&1 & # 5 s each
sleep 1
send "$(at 0)"
fails "a port in use" "$(at 1): another program listens there already"
touch done
wait

[ "$failed" = 0 ] && echo "ranks that listen: all as expected"
exit "$failed"
