#!/usr/bin/env bash
# vdif_streams_test.sh: one stream of VDIF frames, some of them lost, gives the same numbers as one file, as three of which one ends
# within a frame, through standard input and a named pipe, and from a file that grows; what nobody can know of a pipe; and what
# info, validate and metrics say.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

head -c 256000 /dev/urandom >sky.raw
cat >make.run <<'END'
{ "cornerturn": 1, "nodes": {
  "sky": { "stage": "source.raw", "file": "sky.raw", "dims": "TP", "type": "ci8", "sizes": { "P": 2 }, "sample_time_s": 1.25e-5,
           "start_mjd": 59337.25 },
  "out": { "stage": "sink.vdif", "input": "sky", "file": "all.vdif", "samples_per_frame": 160, "station": "Jb" } } }
END
"$CORNERTURN" run make.run 2>log || fail "a file is made" "$(cat log)"
# 800 frames of 352 bytes, of two threads: of these six are lost, and two swapped
frames() { tail -c +$(($1 * 352 + 1)) all.vdif | head -c $(($2 * 352)); }
{ frames 0 100; frames 103 47; frames 151 1; frames 150 1; frames 152 200; frames 355 445; } >a.vdif
[ "$(stat -c %s all.vdif)" = $((800 * 352)) ] || fail "800 frames were expected: $(stat -c %s all.vdif) bytes"
copy() { # FILES OUT
    cat <<END
{ "cornerturn": 1, "block": { "T": 777 }, "nodes": {
  "v": { "stage": "source.vdif", "files": $1 },
  "out": { "stage": "sink.raw", "input": "v", "file": "$2", "layout": "TSP" } } }
END
}
copy '"a.vdif"' a.out >a.run
copy '"all.vdif"' all.out >all.run
"$CORNERTURN" run all.run 2>log && cmp -s sky.raw all.out || fail "what was written is read" "$(cat log)"
"$CORNERTURN" run a.run --metrics m.txt 2>log || fail "a file" "$(cat log)"
grep -qx "v: a.vdif: 6 frames missing (zero, flagged)" <(sed 's|/.*/a.vdif|a.vdif|' log) || fail "what is missing: $(cat log)"
grep -q 'frames_lost.* 6$' m.txt || fail "metrics: $(grep frames m.txt)"
[ "$(stat -c %s a.out)" = 256000 ] || fail "64000 samples were expected: $(stat -c %s a.out) bytes"
same() { cmp -s a.out "$1" || fail "$2: other numbers ($(stat -c %s "$1" 2>/dev/null) bytes) $(cat log)"; }

head -c 100000 a.vdif >s0.vdif; tail -c +100001 a.vdif | head -c 352 >s1.vdif; tail -c +100353 a.vdif >s2.vdif
copy '["s0.vdif", "s1.vdif", "s2.vdif"]' b.out >b.run
"$CORNERTURN" run b.run 2>log
same b.out "three files"
copy '"-"' - >p.run
"$CORNERTURN" run p.run <a.vdif 2>log >c.out
same c.out "a file as standard input"
{ head -c 5000 a.vdif; sleep 0.3; tail -c +5001 a.vdif; } | "$CORNERTURN" run p.run 2>log >d.out
same d.out "a pipe that stops for a while"
mkfifo n
copy '"n"' e.out >n.run
(sleep 0.3; cat a.vdif >n) &
"$CORNERTURN" run n.run 2>log
same e.out "a named pipe"
head -c 150000 a.vdif >g.vdif
copy '"g.vdif"' f.out >g.run
(sleep 1; tail -c +150001 a.vdif >>g.vdif) &
"$CORNERTURN" run g.run --follow 2 2>log
same f.out "a file that grows"

"$CORNERTURN" validate n.run >log 2>&1 || fail "validate of a pipe" "$(cat log)"
grep -q 'is a pipe, which a run reads' log || fail "validate says what it does not know: $(cat log)"
for expected in 'format  *VDIF, complex voltages' 'station  *Jb' 'headers  *32 bytes, EDV 1' 'threads  *2' \
    'frames  *794 of 352 bytes: 160 samples of 1 channels' 'numbers  *8 bits, read as ci8' 'sample rate  *0.08 MHz' \
    'start  *2021-05-03 06:00:00'; do
    "$CORNERTURN" info a.vdif >log 2>&1
    grep -q "^$expected" log || fail "info: no $expected: $(cat log)"
done
echo "$failed failed"
[ "$failed" -eq 0 ]
