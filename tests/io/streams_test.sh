#!/usr/bin/env bash
# streams_test.sh: what has no length: standard input and output, named pipes, files that grow; where a
# stream ends within a sample, and where nobody can read it twice. And what a run says of itself, and
# that it needs no more memory for more data.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../shared/check.sh"
in_a_folder

# raw FILE OUT [BLOCK]: a source.raw and a sink.raw; fil FILE OUT: filterbanks
raw()
{
    cat <<END
{ "cornerturn": 1, "block": { "T": ${3:-512} }, "nodes": {
  "v": { "stage": "source.raw", "file": "$1", "dims": "TSP", "type": "ci8", "sizes": { "S": 3, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "out": { "stage": "sink.raw", "input": "v", "file": "$2" } } }
END
}
fil()
{
    cat <<END
{ "cornerturn": 1, "block": { "T": 100 }, "nodes": {
  "f": { "stage": "source.sigproc", "file": "$1" },
  "out": { "stage": "sink.sigproc", "input": "f", "file": "$2" } } }
END
}
head -c 120000 /dev/urandom >a.in # 10000 samples

# Numbers from pipes and files, to pipes and files.
raw - - >p.run
"$CORNERTURN" run p.run <a.in 2>log | cmp - a.in || fail "a file through standard input" "$(cat log)"
cat a.in | "$CORNERTURN" run p.run 2>log >b.out || fail "a pipe" "$(cat log)"
cmp -s a.in b.out || fail "a pipe's bytes"
{ head -c 5000 a.in; sleep 0.3; tail -c +5001 a.in; } | "$CORNERTURN" run p.run --trace --quiet 2>log >b.out
cmp -s a.in b.out || fail "a pipe that stops for a while"
grep -q '^v  *source.raw' log || fail "the trace goes where the data do not"
grep -q 'block.* in ' log && fail "--quiet says what was done"
mkfifo n
raw n named.out >n.run
(sleep 0.3; cat a.in >n) &
"$CORNERTURN" run n.run 2>log && cmp -s a.in named.out || fail "a named pipe whose writer comes late" "$(cat log)"
rm n named.out named.out.json 2>/dev/null
{ cat a.in; printf xyz; } | "$CORNERTURN" run p.run 2>log >b.out || fail "a torn end" "$(cat log)"
cmp -s a.in b.out || fail "whole samples of a torn stream"
grep -qx 'v: /dev/stdin: ends within a sample: its last 3 bytes are left out' log || fail "a torn end is said: $(cat log)"

# Filterbanks of all widths, the header behind others' bytes.
for bits in 8 32; do
    [ "$bits" = 8 ] && type=u8 || type=f32
    cat >make.run <<END
{ "cornerturn": 1, "nodes": {
  "v": { "stage": "source.raw", "file": "a.in", "dims": "TC", "type": "$type", "sizes": { "C": 5 },
         "sample_time_s": 1e-3, "frequency_hz": [5e8, 4.9e8, 4.8e8, 4.7e8, 4.6e8], "channel_width_hz": 1e7 },
  "out": { "stage": "sink.sigproc", "input": "v", "file": "w$bits.fil" } } }
END
    "$CORNERTURN" run make.run 2>log || fail "$bits bits" "$(cat log)"
    fil - - >f.run
    cat "w$bits.fil" | "$CORNERTURN" run f.run 2>log >x.fil || fail "$bits bits through pipes" "$(cat log)"
    cmp -s "w$bits.fil" x.fil || fail "a filterbank of $bits bits is another one behind a pipe"
    { head -c 30 "w$bits.fil"; sleep 0.2; tail -c +31 "w$bits.fil"; } | "$CORNERTURN" run f.run 2>log >x.fil
    cmp -s "w$bits.fil" x.fil || fail "a header that comes in pieces" "$(cat log)"
done

# A file that grows, and one whose reader is told to stop.
head -c 60000 a.in >g.in
raw g.in grownamed.out >g.run
(sleep 0.5; tail -c +60001 a.in >>g.in) &
"$CORNERTURN" run g.run --follow 1.5 2>log || fail "--follow" "$(cat log)"
cmp -s a.in grownamed.out || fail "--follow: what came later"
rm -f grownamed.out
"$CORNERTURN" run g.run --follow 0 2>log & run=$!
sleep 1
kill -INT "$run"
wait "$run"
[ $? = 130 ] || fail "--follow 0, told to stop" "$(cat log)"
cmp -s -n $((10000 / 512 * 512 * 12)) a.in grownamed.out || fail "--follow keeps whole blocks"
[ "$(stat -c %s grownamed.out)" = $((10000 / 512 * 512 * 12)) ] || fail "--follow keeps whole blocks only"

# What cannot be.
refused() # refused CODE SENTENCE ARGUMENTS...
{
    local code=$1 sentence=$2
    shift 2
    "$CORNERTURN" "$@" </dev/null >out 2>log
    [ $? = "$code" ] && grep -qF -- "$sentence" log || fail "$* : $(cat log)"
}
raw - r.out >r.run
true | "$CORNERTURN" run r.run --resume 2>log
grep -qF 'cannot be read again: read a file, or run without --resume' log || fail "--resume of a pipe: $(cat log)"
refused 2 'expected one of them' run g.run --follow 1 --resume
refused 2 'no source that can follow a file' run <(echo '{"nodes": {"a": {"stage": "source.npy"}}}') --follow 1
sed 's/"out"/"w": { "stage": "source.raw", "file": "-", "dims": "TS", "type": "ci8", "sizes": { "S": 3 } }, "out"/' r.run >two.run
true | "$CORNERTURN" validate two.run 2>log
grep -qF 'expected a file that nothing else uses, but "v" reads /dev/stdin' log || fail "two sources of one pipe: $(cat log)"
sed 's/sink.raw/sink.npy/' p.run >npy.run
"$CORNERTURN" run npy.run <a.in 2>log | cat >/dev/null
grep -qF 'the header says the length, which is not known yet' log || fail ".npy on a pipe: $(cat log)"
"$CORNERTURN" run p.run <a.in 2>log >/dev/full
[ $? = 5 ] && grep -qF 'No space left on device' log || fail "a full device: $(cat log)"

# A pipe that nobody empties: who stops the run need not wait.
mkfifo q
raw a.in q >q.run
sleep 4 <q & reader=$!
begun=$SECONDS
"$CORNERTURN" run q.run 2>log & run=$!
sleep 1
kill -INT "$run"
wait "$run"
[ $? = 130 ] || fail "a stalled pipe, told to stop: $(cat log)"
[ $((SECONDS - begun)) -le 2 ] || fail "a stalled pipe holds up who stops the run"
kill "$reader"

# --stats, and memory: 16 times as much data, and no more of it.
measure() # measure BYTES: the most memory of a run
{
    head -c "$1" /dev/zero >m.in
    raw m.in most.out 16384 >m.run
    "$CORNERTURN" run m.run --stats s.jsonl --metrics m.prom 2>log || fail "--stats" "$(cat log)"
    tail -n 1 s.jsonl | sed -E 's/.*"memory_most": ([0-9]+).*/\1/'
}
once=$(measure 4800000)
often=$(measure 76800000)
[ $((100 * often)) -le $((105 * once)) ] || fail "$often bytes of memory for 16 times as much data, and $once for once"
grep -qE '^\{"time_s": .*"real_time": [0-9].*"ahead": 0.*"steps": \{"v": [0-9.e-]+, "out": [0-9.e-]+\}\}$' s.jsonl ||
    fail "--stats: $(cat s.jsonl)"
grep -q '"final": true, "status": 0, "nodes": .*"read_bytes": 76800000[,}].*"written_bytes": 76800000[,}]' s.jsonl ||
    fail "--stats, the totals: $(cat s.jsonl)"

# --metrics: a strict reader takes it, and it has the totals; whatever the pipeline is called.
openmetrics() { [ -z "$(tail -c 1 "$1")" ] && awk -f "$here/openmetrics.awk" "$1"; }
openmetrics m.prom >m.txt || fail "--metrics: $(cat m.txt)"
for line in 'run_samples_total pipeline=m.run 19200000' 'run_finished pipeline=m.run 1' \
    'node_read_bytes_total pipeline=m.run,node=v 76800000' \
    'node_written_bytes_total pipeline=m.run,node=out 76800000'; do
    grep -qxF "cornerturn_$line" m.txt || fail "--metrics: no $line: $(cat m.txt)"
done
cp m.run $'a "b\\\n.run'
"$CORNERTURN" run $'a "b\\\n.run' --metrics m.prom --quiet 2>log && openmetrics m.prom >m.txt ||
    fail "--metrics of a strange name: $(cat log m.txt)"
grep -qF 'pipeline=a \"b\\\n.run' m.txt || fail "--metrics of a strange name: $(cat m.txt)"
sed 's/^# TYPE .*_blocks counter/# TYPE x gauge/' m.prom >bad.prom
openmetrics bad.prom >/dev/null && fail "the reader of metrics is not strict"
sed '/^# EOF/d' m.prom >bad.prom
openmetrics bad.prom >/dev/null && fail "the reader of metrics needs no end"
mkdir folder.prom
rm -f named.out
refused 5 '--metrics: folder.prom: expected a file, which is replaced at each report, found something else' \
    run m.run --metrics folder.prom
refused 5 '--metrics: none/m.prom: cannot be written: No such file or directory' run m.run --metrics none/m.prom
refused 5 '--stats: none/s.jsonl: cannot be written: No such file or directory' run m.run --stats none/s.jsonl
ls -A | grep -q '^\.cornerturn-' && fail "--metrics leaves a temporary file: $(ls -A)"

[ "$failed" = 0 ] && echo "streams: all as expected"
exit "$failed"
