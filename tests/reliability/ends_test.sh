#!/usr/bin/env bash
# ends_test.sh: runs that end before their data do - stopped by their user, on a full disk, with an input
# that is cut short, with a pipe that nobody empties - leave files that are valid up to the last whole
# block, byte for byte those of a run over so much data, and say what they hold. With --whole nothing is
# left. The full disk is a file system in memory: without the right to mount one that part is left out.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

head -c 1280000 /dev/urandom >v.in # 64000 samples of 20 bytes
block=$((512 * 20))

# Each writes FOLDER's files: volts FILE FOLDER, power FILE FOLDER
volts()
{
    cat <<END_OF
{ "cornerturn": 1, "block": { "T": 512 }, "nodes": {
  "v": { "stage": "source.raw", "file": "$1", "dims": "TSP", "type": "ci8", "sizes": { "S": 5, "P": 2 },
         "sample_time_s": 5.12e-6, "start_mjd": 60000 },
  "a": { "stage": "sink.npy", "input": "v", "file": "$2/a.npy" },
  "b": { "stage": "sink.raw", "input": "v", "file": "$2/b.raw", "layout": "SPT" },
  "c": { "stage": "sink.lofar", "input": "v", "file": "$2/c.udp" },
  "d": { "stage": "sink.dada", "input": "v", "file": "$2/d.dada" } } }
END_OF
}
power()
{
    cat <<END_OF
{ "cornerturn": 1, "block": { "T": 512 }, "nodes": {
  "x": { "stage": "source.raw", "file": "$1", "dims": "TD", "type": "f32", "sizes": { "D": 5 }, "dm": [0, 1, 2, 3, 4],
         "sample_time_s": 0.001, "start_mjd": 60000, "frequency_hz": [1.4e9], "channel_width_hz": 1e6 },
  "a": { "stage": "sink.sigproc", "input": "x", "file": "$2/a.tim" },
  "b": { "stage": "sink.presto", "input": "x", "file": "$2/b.dat" },
  "c": { "stage": "sink.candidates", "input": "x", "file": "$2/c.json" } } }
END_OF
}
perl -e 'srand 3; print pack("f<*", map { rand() } 1 .. 320000)' >x.in || fail 'numbers'

# alike KIND FOLDER BLOCKS: the folder has what a run over so many blocks writes, but for "incomplete"
alike()
{
    local file
    rm -rf ref && mkdir ref
    case $1 in volts) head -c $(($3 * block)) v.in >ref.in ;; *) head -c $(($3 * block)) x.in >ref.in ;; esac
    "$1" ref.in ref >ref.run
    "$CORNERTURN" run ref.run >log.ref 2>&1 || fail "$1: the first $3 blocks" "$(cat log.ref)"
    for file in $(ls ref); do
        case $file in
        *.json) diff <(grep -v '"incomplete"' "$2/$file" | tr -d ' ,\n}') <(tr -d ' ,\n}' <"ref/$file") >log.diff ||
            fail "$1, $2: $file: $(cat log.diff)" ;;
        *) cmp "$2/$file" "ref/$file" || fail "$1, $2: $file" ;;
        esac
    done
    [ "$(ls "$2")" = "$(ls ref)" ] || fail "$1, $2: $(ls "$2")"
}

# Stopped by its user, when the data of 20 blocks and a half have come.
for kind in volts power; do
    [ $kind = volts ] && data=v.in || data=x.in
    mkdir out && mkfifo feed
    "$kind" feed out >run.run
    { head -c $((20 * block + block / 2)) $data; exec sleep 20; } >feed & writer=$!
    "$CORNERTURN" run run.run 2>log & run=$!
    for _ in $(seq 100); do
        [ "$(stat -c %s out/.cornerturn*part 2>/dev/null | sort -n | tail -n 1)" -ge $((20 * block / 5)) ] 2>/dev/null && break
        sleep 0.05
    done
    sleep 0.3
    kill -INT $run
    wait $run
    [ $? = 130 ] || fail "$kind: stopped: $(cat log)"
    kill $writer
    alike $kind out 20
    grep -qE '^kept: out/a[._].*: 20 blocks, 10240 samples \([0-9.]+ s\)$' log || fail "$kind: $(cat log)"
    grep -q '"incomplete": "stopped after block 20"' out/*.json || fail "$kind: nothing says that it is not all"
    rm -r out feed
done

# An input that is cut short while it is read: the run waits for a reader of its pipe meanwhile.
mkdir out && mkfifo q
cp v.in short.in
volts short.in out | sed 's|"file": "out/d.dada"|"file": "q"|; s/sink.dada/sink.raw/' >run.run
"$CORNERTURN" run run.run 2>log & run=$!
sleep 0.5
truncate -s $((30 * block + 77)) short.in
timeout 20 cat q >q.out
wait $run
[ $? = 5 ] && grep -qF 'short.in' log || fail "an input that is cut short: $(cat log)"
blocks=$(sed -nE 's|^kept: out/a.npy: ([0-9]+) of 125 blocks.*|\1|p' log)
[ "${blocks:-0}" -ge 28 ] || fail "an input that is cut short: $(cat log)"
cmp -s -n $((blocks * block)) q.out v.in || fail "what went into the pipe"
cmp <(tail -c $((blocks * block)) out/a.npy) <(head -c $((blocks * block)) v.in) || fail "what was kept of an input that is cut short"
rm -r out

# A pipe that nobody empties: who stops the run has all the rest.
mkdir out
volts v.in out | sed 's|"file": "out/d.dada"|"file": "q"|; s/sink.dada/sink.raw/' >run.run
sleep 20 <q & reader=$!
"$CORNERTURN" run run.run 2>log & run=$!
sleep 1
kill -INT $run
wait $run
[ $? = 130 ] && grep -qF 'q: interrupted: nobody reads what is written to it' log || fail "a stalled pipe: $(cat log)"
kill $reader
blocks=$(sed -nE 's|^kept: out/a.npy: ([0-9]+) of 125 blocks.*|\1|p' log)
cmp <(tail -c $((${blocks:-0} * block)) out/a.npy) <(head -c $((${blocks:-0} * block)) v.in) || fail "what was kept beside a stalled pipe: $(cat log)"
[ "${blocks:-0}" -ge 1 ] || fail "nothing was kept beside a stalled pipe: $(cat log)"
rm -r out

# A full disk, for each sink: the others' files lie elsewhere, and are kept, too.
mkdir disk
if mount -t tmpfs -o size=384k tmpfs disk 2>/dev/null; then
    trap 'cd /; umount "$work/disk"; rm -rf "$work"' EXIT
    for sink in volts:a.npy volts:b.raw volts:c.udp volts:d.dada power:a.tim power:b.dat; do
        kind=${sink%:*} file=${sink#*:}
        rm -rf out disk/* && mkdir out disk/out
        [ $kind = volts ] && data=v.in || data=x.in
        "$kind" $data out | sed "s|out/$file|disk/out/$file|" >run.run
        "$CORNERTURN" run run.run 2>log
        [ $? = 5 ] && grep -qE '^disk/out/.*: cannot be written: No space left on device$' log || fail "$sink: a full disk: $(cat log)"
        blocks=$(sed -nE "s|^kept: disk/out/[^ ]*: ([0-9]+) of 125 blocks.*|\1|p" log | head -n 1)
        [ "${blocks:-0}" -ge 10 ] || fail "$sink: a full disk: $(cat log)"
        cp -r disk/out part
        others=$(sed -nE "s|^kept: out/[^ ]*: ([0-9]+) of 125 blocks.*|\1|p" log | head -n 1)
        rm -rf ref && mkdir ref
        head -c $((blocks * block)) $data >ref.in
        "$kind" ref.in ref >ref.run
        "$CORNERTURN" run ref.run >log.ref 2>&1 || fail "$sink: so many blocks" "$(cat log.ref)"
        for one in $(ls part); do
            case $one in
            *.json) grep -q "\"incomplete\": \"stopped after block $blocks of 125: the next one could not be written\"" "part/$one" || fail "$sink: $(cat "part/$one")" ;;
            b.raw) for row in 0 9; do # each where a whole run has it
                cmp <(tail -c +$((row * 128000 + 1)) part/b.raw | head -c $((blocks * 1024))) <(tail -c +$((row * blocks * 1024 + 1)) ref/b.raw | head -c $((blocks * 1024))) || fail "b.raw, row $row"
            done ;;
            *) cmp "part/$one" "ref/$one" || fail "$sink: $one of a full disk" ;;
            esac
        done
        [ "${others:-0}" -ge "$blocks" ] || fail "$sink: the others: $(cat log)"
        rm -r part
        "$CORNERTURN" run run.run --whole 2>log && fail "$sink: --whole: $(cat log)"
        grep -q '^kept' log && fail "$sink: --whole keeps: $(cat log)"
        [ "$(ls disk/out out | wc -l)" -ge 1 ] || fail "$sink: --whole took what was there"
    done
    [ -z "$(find . -name '.cornerturn*')" ] || fail "left behind: $(find . -name '.cornerturn*')"
else
    echo "no right to mount a small disk: that part is left out"
fi
[ "$failed" = 0 ] && echo "ends: all as expected"
exit "$failed"
