#!/usr/bin/env bash
# ring_test.sh: rings of PSRDADA, with PSRDADA's own programs at the other end: what dada_diskdb sends comes out of
# source.dada, what sink.dada writes is what dada_dbdisk finds, byte for byte, through blocks of a ring that end within
# samples and divide no block of the pipeline. Observations come one after the other; a writer or a reader that
# dies, or never comes, holds nobody up who is told to stop. Without PSRDADA's library in the build, or its
# programs, all of it is skipped.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

key=$(printf '%x' $((0x10000000 + $$ * 16)))
rings=
# ring N BYTES BLOCKS [READERS]: $ring is the key of a new one
ring()
{
    ring=$(printf '%x' $((0x$key + 2 * $1)))
    dada_db -k "$ring" -b "$2" -n "$3" -r "${4:-1}" >db.log 2>&1 || fail "dada_db: $(cat db.log)"
    rings+=" $ring"
}
remove_rings()
{
    [ "$BASHPID" = $$ ] || return
    for ring in $rings; do dada_db -k "$ring" -d >/dev/null 2>&1; done
    rm -rf "$work"
}
trap remove_rings EXIT

# to KEY FILE [BLOCK]: samples of a file into a ring; from KEY FILE [BLOCK] [MORE]: out of it into a file
to()
{
    cat <<END
{ "cornerturn": 1, "block": { "T": ${3:-1000} }, "nodes": {
  "v": { "stage": "source.raw", "file": "$2", "dims": "TCSP", "type": "ci8", "sizes": { "C": 3, "S": 1, "P": 2 },
         "sample_time_s": 2.5e-6, "start_mjd": 59337.5, "frequency_hz": [1401e6, 1400e6, 1399e6], "channel_width_hz": 1e6 },
  "out": { "stage": "sink.dada", "input": "v", "key": "$1" } } }
END
}
from()
{
    cat <<END
{ "cornerturn": 1, "block": { "T": ${3:-1000} }, "nodes": {
  "v": { "stage": "source.dada", "key": "$1"${4:-} },
  "out": { "stage": "sink.dada", "input": "v", "file": "$2" } } }
END
}
same() # same FILE OTHER: what follows the headers
{
    cmp -s <(tail -c +4097 "$1") <(tail -c +4097 "$2")
}
# ends WHAT CODE PROCESS: within 20 s
ends()
{
    local code=0 looks=200
    while kill -0 "$3" 2>/dev/null && [ $((looks -= 1)) -gt 0 ]; do sleep 0.1; done
    kill -KILL "$3" 2>/dev/null
    wait "$3" || code=$?
    [ "$code" = "$2" ] || fail "$1: ended with $code, expected $2: $(cat log* 2>/dev/null)"
}

to 1 a.raw >probe.run
head -c 12 /dev/zero >a.raw
if grep -q 'built without PSRDADA' <("$CORNERTURN" validate probe.run 2>&1); then exit 77; fi
for program in dada_db dada_diskdb dada_dbdisk; do
    command -v "$program" >/dev/null || exit 77
done

# 40,000 samples of 12 bytes, as numbers and as a file of DADA.
head -c 480000 /dev/urandom >a.raw
to 0 a.raw >file.run
sed -i 's/"key": "0"/"file": "a.dada"/' file.run
"$CORNERTURN" run file.run 2>log || fail "$(cat log)"

# From disk through a ring, in the order of the file and in another one.
ring 0 10007 4
for layout in TCPS CPTS; do
    dada_diskdb -k "$ring" -f a.dada -s >disk.log 2>&1 & writer=$!
    from "$ring" b.dada 700 ", \"layout\": \"$layout\"" >b.run
    "$CORNERTURN" run b.run --stats s.jsonl 2>log || fail "dada_diskdb to source.dada: $(cat log)"
    same a.dada b.dada || fail "other bytes than dada_diskdb sent, $layout"
    ends dada_diskdb 0 "$writer"
    grep -q '"read_bytes": 480000[,}]' s.jsonl || fail "--stats: $(tail -n 1 s.jsonl)"
done
for key_line in UTC_START FREQ BW TSAMP NCHAN NPOL; do
    [ "$(grep -a "^$key_line " a.dada)" = "$(grep -a "^$key_line " b.dada)" ] || fail "$key_line is another one"
done
"$CORNERTURN" validate b.run >out 2>log
grep -qF "ring $ring is read by a run: what comes is not known" log || fail "validate: $(cat log)"

# Into a ring, and to disk: the length is known to the header, since the source says it.
mkdir disk
dada_dbdisk -k "$ring" -D disk -s -W >disk.log 2>&1 & reader=$!
to "$ring" a.raw >a.run
"$CORNERTURN" run a.run 2>log || fail "sink.dada to dada_dbdisk: $(cat log)"
ends dada_dbdisk 0 "$reader"
same a.dada disk/*.dada || fail "dada_dbdisk finds other bytes: $(ls -l disk; cat disk.log)"

# Two observations, one run each; a whole number of ring blocks, and one that has nothing.
ring 1 4800 3
tail -c 24000 a.raw >b.raw
to "$ring" a.raw 999 >to_a.run
to "$ring" b.raw >to_b.run
"$CORNERTURN" run to_a.run 2>log && "$CORNERTURN" run to_b.run 2>log1 & writer=$!
from "$ring" c.dada 1000 >c.run
"$CORNERTURN" run c.run 2>log2 || fail "$(cat log2)"
from "$ring" d.dada 1000 >d.run
"$CORNERTURN" run d.run 2>log2 || fail "$(cat log2)"
ends 'a writer of two observations' 0 "$writer"
same a.dada c.dada || fail 'the first observation'
cmp -s b.raw <(tail -c +4097 d.dada) || fail 'the second observation'
: >empty.raw
to "$ring" /dev/stdin >to_stdin.run
"$CORNERTURN" run to_stdin.run <empty.raw 2>log & writer=$!
from "$ring" e.dada 1000 >e.run
"$CORNERTURN" run e.run 2>log2
wait "$writer"
[ "$(stat -c %s e.dada)" = 4096 ] || fail "an observation of nothing: $(cat log log2)"

# Two readers, of which one is late, and one block.
ring 2 9973 1 2
to "$ring" a.raw >to_a.run
"$CORNERTURN" run to_a.run 2>log & writer=$!
from "$ring" f.dada 5000 >f.run
"$CORNERTURN" run f.run 2>log1 & reader=$!
sleep 1
kill -0 "$writer" || fail 'a writer does not wait for the slower reader'
from "$ring" g.dada 333 >g.run
"$CORNERTURN" run g.run 2>log2 || fail "$(cat log2)"
ends 'the first of two readers' 0 "$reader"
ends 'a writer with two readers' 0 "$writer"
same a.dada f.dada && same a.dada g.dada || fail 'two readers'

# What is told to stop while it waits: for a header, for data, for a reader.
ring 3 10007 2
stopped() # stopped WHAT PIPELINE SECONDS
{
    "$CORNERTURN" run "$2" 2>log & local run=$!
    sleep "$3"
    kill -INT "$run"
    ends "$1" 130 "$run"
}
from "$ring" h.dada >h.run
to "$ring" a.raw >a.run
stopped 'waiting for a header' h.run 1
stopped 'waiting for a reader' a.run 2
grep -qF 'nobody reads what is written to it' log || fail "who waits for a reader does not say so: $(cat log)"
"$CORNERTURN" run h.run 2>log2 || fail "$(cat log2)"
size=$(stat -c %s h.dada)
[ "$size" -gt $((4096 + 10007)) ] && cmp -s -n $((size - 4096)) <(tail -c +4097 h.dada) a.raw ||
    fail "what a stopped writer had written: $size bytes"

mkfifo still
to "$ring" still 100 >to_still.run
"$CORNERTURN" run to_still.run 2>log1 & writer=$!
exec 4>still
head -c 60000 a.raw >&4
from "$ring" l.dada 100 >l.run
stopped 'waiting for data' l.run 2
grep -qF 'interrupted after block' log || fail "waiting for data: $(cat log)"
cmp -s -n 48000 <(tail -c +4097 l.dada) a.raw || fail 'what a stopped reader had read'
exec 4>&-
kill -INT "$writer"
wait "$writer"

# A writer that dies: what came is kept. A reader that dies: its ring is refused.
ring 4 1200 4
mkfifo slow
to "$ring" slow 100 >to_slow.run
"$CORNERTURN" run to_slow.run 2>log1 & writer=$!
exec 3>slow
head -c 60000 a.raw >&3
from "$ring" i.dada 100 >i.run
"$CORNERTURN" run i.run 2>log2 & reader=$!
sleep 3
kill -KILL "$writer"
wait "$writer" 2>/dev/null
exec 3>&-
ends 'a reader whose writer died' 0 "$reader"
grep -qF 'its writer has ended without an end of data: the stream ends there' log2 || fail "$(cat log2)"
size=$(stat -c %s i.dada)
[ $((size - 4096)) -ge 57600 ] && [ $(((size - 4096) % 12)) = 0 ] || fail "a dead writer: $size bytes"
cmp -s -n $((size - 4096)) <(tail -c +4097 i.dada) a.raw || fail 'what came from a writer that died'
to "$ring" a.raw >to_a.run
check 'a ring left by its writer is said' says 5 'a writer has left it in the middle of an observation' \
    "$CORNERTURN" run to_a.run

ring 5 1200 4
to "$ring" a.raw >to_a.run
"$CORNERTURN" run to_a.run 2>log1 & writer=$!
from "$ring" j.dada 100 >j.run
mkfifo full
sed -i 's/"j.dada"/"full"/' j.run
sleep 5 <full & opener=$!
"$CORNERTURN" run j.run 2>log2 & reader=$!
sleep 2
kill -KILL "$reader"
wait "$reader" 2>/dev/null
kill -0 "$writer" || fail 'a writer whose reader died does not wait'
kill -INT "$writer"
ends 'a writer whose reader died' 130 "$writer"
check 'a ring left by its reader is said' says 5 'a reader has left it in the middle of an observation' "$CORNERTURN" run j.run
kill "$opener" 2>/dev/null

# What cannot be.
from "${ring%?}f" k.dada >k.run
check 'a ring that is not there' says 5 "ring ${ring%?}f: there is none: dada_db makes it" \
    "$CORNERTURN" run k.run
to "${ring%?}f" a.raw >to_a.run
check 'a sink without its ring' says 5 "ring ${ring%?}f: there is none: dada_db makes it" \
    "$CORNERTURN" run to_a.run
to "$ring" a.raw | sed 's/"TCSP"/"TSP"/; s/"C": 3, "S": 1/"S": 3/; s/\[1401e6.*1399e6\]/1e9/' >many.run
check 'several stations' says 3 'a ring has room for one beam of one station, found 3 of them' "$CORNERTURN" validate many.run

[ "$failed" = 0 ] && echo "rings: all as expected"
exit "$failed"
