#!/usr/bin/env bash
# packets_test.sh SENDER: station packets that come once and in order: pipes, compressed files, files
# that grow; sequences of files; datagrams. All give what the same packets give as plain files, whatever is
# lost, swapped or repeated, in memory that does not grow.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
sender=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../shared/check.sh"
in_a_folder

# pipeline FILES OUT [MORE]
pipeline()
{
    cat <<END
{ "cornerturn": 1, "block": { "T": 3000 }, "nodes": {
  "v": { "stage": "source.lofar", $1${3:-} },
  "out": { "stage": "sink.raw", "input": "v", "file": "$2" } } }
END
}
# same NAME FILES [ARGUMENTS...]: these packets give what the files a and b do
same()
{
    local name=$1
    pipeline "$2" "$name.out" >"$name.run"
    shift 2
    "$CORNERTURN" run "$name.run" "$@" 2>"$name.log" || fail "$name: $(cat "$name.log")"
    cmp -s files.out "$name.out" || fail "$name: other samples"
}

faults=(--lost 97 --swapped 61 --repeated 43)
"$sender" --packets 6000 "${faults[@]}" a b
same files '"files": ["a", "b"]' --stats files.jsonl
[ "$(stat -c %s files.out)" = $((6000 * 16 * 8 * 4)) ] || fail "how many samples there are"
grep -q 'a: 992 samples missing' files.log || fail "how many are missing: $(cat files.log)"
# What is counted while it runs is what the account at the end says, lane by lane and in all.
lane() { sed -E "s/.*(\{\"station\": \"0\", \"lane\": \"$2\"[^}]*\}).*/\1/" "$1" | tail -n 1; }
counted() # counted FILE LANE NAME: its value
{
    lane "$1" "$2" | sed -nE "s/.*\"$3\": ([0-9.e+]+)[,}].*/\1/p"
}
account() { sed -nE "s/^v: $1: ([0-9]+) $2.*/\1/p" files.log; }
[ "$(counted files.jsonl 0 samples_missing)" = 992 ] && [ "$(counted files.jsonl 0 packets_lost)" = 62 ] ||
    fail "packets lost: $(lane files.jsonl 0)"
[ "$(counted files.jsonl 0 packets_repeated)" = "$(account a 'packets repeated')" ] &&
    [ "$(counted files.jsonl 1 packets_swapped)" = "$(account b 'packets out of order')" ] ||
    fail "packets repeated and swapped: $(cat files.log files.jsonl)"
[ "$(counted files.jsonl 0 read_bytes)" = "$(stat -c %s a)" ] || fail "bytes read: $(lane files.jsonl 0)"
[ "$(counted files.jsonl 0 packets_received)" = $((6000 - 62 + $(account a 'packets repeated'))) ] ||
    fail "packets received: $(lane files.jsonl 0)"
head -c 1000000 a >a0; tail -c +1000001 a >a1
same sequence '"files": [[["a0", "a1"], "b"]]'
mkfifo p q
cat a >p & cat b >q &
same pipes '"files": ["p", "q"]'
grep -q 'p: 992 samples missing' pipes.log || fail "how many are missing behind a pipe: $(cat pipes.log)"
timeout --preserve-status -k 5 2 "$CORNERTURN" run pipes.run 2>log # nobody writes
[ $? = 130 ] && grep -qx 'interrupted: no output was written' log || fail "stopped before a header came: $(cat log)"
pipeline '"files": ["-", "-"]' twice.out >twice.run
"$CORNERTURN" run twice.run <a 2>log
[ $? = 3 ] && grep -qF 'but /dev/stdin would be read twice' log || fail "two lanes of one pipe: $(cat log)"
cp a0 g
(sleep 0.5; cat a1 >>g) &
same grows '"files": ["g", "b"]' --follow 1.2
if command -v zstd >/dev/null && "$CORNERTURN" info stage source.lofar >/dev/null; then
    zstd -q b a1
    pipeline '"files": [[["a0", "a1.zst"], "b.zst"]]' zstd.out >zstd.run
    if "$CORNERTURN" run zstd.run 2>zstd.log; then
        cmp -s files.out zstd.out || fail "zstd: other samples"
        head -c 20000 b.zst >torn.zst
        pipeline '"files": "torn.zst"' torn.out >torn.run
        "$CORNERTURN" run torn.run 2>log
        [ $? = 5 ] && grep -q 'torn.zst: ends within compressed data' log || fail "torn: $(cat log)"
        head -c 100000 /dev/urandom >bad.zst
        pipeline '"files": "bad.zst"' bad.out >bad.run
        "$CORNERTURN" run bad.run 2>log
        [ $? = 5 ] && grep -q 'bad.zst: cannot be decompressed' log || fail "no zstd: $(cat log)"
    else
        grep -q 'built without libzstd' zstd.log || fail "zstd: $(cat zstd.log)"
    fi
fi
# One writer may open the pipes in another order than they are read in.
"$sender" --packets 6000 "${faults[@]}" q p &
writer=$!
pipeline '"files": ["q", "p"]' one.out >one.run
sed 's/"q", "p"/"p", "q"/; s/one.out/other.out/' one.run >other.run
timeout -k 1 20 "$CORNERTURN" run one.run 2>log || fail "one writer of two pipes: $(cat log)"
cmp -s files.out one.out || fail "one writer: other samples"
wait "$writer"
"$sender" --packets 6000 "${faults[@]}" q p &
writer=$!
timeout -k 1 20 "$CORNERTURN" run other.run 2>log || fail "one writer, the other order: $(cat log)"
[ "$(stat -c %s other.out)" = "$(stat -c %s one.out)" ] || fail "one writer, the other order: how many samples"
wait "$writer"
# Who stops a run that waits within a packet need not wait.
mkfifo hold
exec 9<>hold 8<>p
(head -c 50000 a >p) &
pipeline '"files": "p"' stop.out >stop.run
"$CORNERTURN" run stop.run 2>log & run=$!
sleep 1
kill -INT "$run"
(sleep 8; kill -KILL "$run" 2>/dev/null) &
wait "$run"
[ $? = 130 ] || fail "told to stop within a packet: $(cat log)"
exec 8<&-
# validate waits for nobody: it opens no pipe, and no port.
for files in '"files": ["p", "q"]' '"files": "-"' '"listen": "127.0.0.1:9", "duration_s": 1'; do
    pipeline "$files" no.out >look.run
    timeout -k 1 9 "$CORNERTURN" validate look.run <&9 >said 2>log || fail "validate $files: $(cat log)"
    grep -q 'what comes is not known, so neither' log && grep -qx 'look.run: valid, as far as it could be checked' said ||
        fail "validate $files: $(cat said log)"
done
pipeline '"listen": "127.0.0.1:9"' no.out >look.run
"$CORNERTURN" validate look.run >/dev/null 2>log
[ $? = 3 ] && grep -q 'duration_s: expected for how long to listen' log || fail "validate, no duration: $(cat log)"
pipeline '"files": "p"' no.out >no.run
head -c 100 /dev/zero >p &
"$CORNERTURN" run no.run 2>log
[ $? = 5 ] && grep -q 'p: expected whole station packets' log || fail "a pipe without packets: $(cat log)"

# Memory: of one beamlet, one packet of a hundred lost, 2 and 32 times as long as what is looked ahead.
measure()
{
    pipeline '"files": "-"' /dev/null >m.run
    "$sender" --packets "$1" --beamlets 1 --lost 100 - | "$CORNERTURN" run m.run --stats s.jsonl 2>log ||
        fail "memory" "$(cat log)"
    tail -n 1 s.jsonl | sed -E 's/.*"memory_most": ([0-9]+).*/\1/'
}
once=$(measure 20000)
often=$(measure 320000)
[ $((100 * often)) -le $((105 * once)) ] || fail "$often bytes of memory for 16 times as much, $once for once"

# Packets that are listened to: what is heard is what the files hold, and comes in time.
listen()
{
    pipeline "\"listen\": [\"127.0.0.1:$1\", \"127.0.0.1:$2\"], \"duration_s\": $3, \"start_utc\": \"2022-06-29T01:30:00\"" "$4"
}
# The first sample of that second is 323528554687500.
port=$((20000 + $$ % 20000))
"$sender" --packets 16000 "${faults[@]}" a b
pipeline '"files": ["a", "b"]' all.out >all.run
"$CORNERTURN" run all.run 2>log || fail "all of it: $(cat log)"
listen $port $((port + 1)) 1.31072 heard.out >heard.run
"$sender" --packets 18000 "${faults[@]}" --before 24000 --rate 12207 127.0.0.1:$port 127.0.0.1:$((port + 1)) &
(sleep 1.5; timeout 9 "$CORNERTURN" explain heard.run >/dev/null 2>busy.log) &
"$CORNERTURN" run heard.run --stats heard.jsonl --metrics heard.prom 2>heard.log || fail "listening: $(cat heard.log)"
cmp -s all.out heard.out || fail "what was heard is not what was sent: $(cat heard.log)"
awk -f "$here/openmetrics.awk" heard.prom >heard.txt || fail "metrics of what was heard: $(cat heard.txt)"
for number in 0 1; do
    lost=$(sed -nE "s/^v: 127.0.0.1:$((port + number)): ([0-9]+) samples missing.*/\1/p" heard.log)
    grep -qxF "cornerturn_node_packets_lost_total pipeline=heard.run,node=v,station=0,lane=$number $((lost / 16))" heard.txt &&
        grep -qxF "cornerturn_node_packets_dropped_total pipeline=heard.run,node=v,station=0,lane=$number 0" heard.txt &&
        [ "$(counted heard.jsonl $number packets_heard)" -ge 15000 ] || fail "what was heard, counted: $(cat heard.txt heard.log)"
done
grep -q 'dropped by the system' heard.log && fail "packets were dropped: $(cat heard.log)"
wait
grep -q ": 127.0.0.1:$port: another program listens there already" busy.log || fail "a port in use: $(cat busy.log)"
begun=$SECONDS
"$CORNERTURN" run heard.run 2>log
[ $? = 5 ] && grep -q ": 127.0.0.1:$port: no packet for 5 s" log || fail "silence: $(cat log)"
[ $((SECONDS - begun)) -le 8 ] || fail "silence is waited for twice"
for wrong in 127.0.0.1 127.0.0.1: 127.0.0.1:99999 127.0.0.1:0 127.0.0.1:16x; do
    pipeline "\"listen\": \"$wrong\", \"duration_s\": 1" /dev/null >no.run
    "$CORNERTURN" validate no.run 2>log
    [ $? = 5 ] && grep -q ": $wrong: expected an address and a port from 1 to 65535" log || fail "$wrong: $(cat log)"
done

[ "$failed" = 0 ] && echo "packets: all as expected"
exit "$failed"
