#!/usr/bin/env bash
# stopping_test.sh: one signal ends a run while its kernels are built, which nothing can interrupt: long before
# they all are, with nothing left; the next run finds a cache that is whole. And building shows its progress.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "SPT", "type": "ci8", "sizes": { "S": 5, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir" },
  "power": { "stage": "detect", "input": "fft", "stokes": "IQUV" },
  "vis": { "stage": "correlator", "input": "fft", "integrate": 64 },
  "a": { "stage": "sink.npy", "input": "power", "file": "a.npy" },
  "b": { "stage": "sink.npy", "input": "vis", "file": "b.npy" } } }
END
head -c 40960 /dev/urandom >v.raw

# go CACHE [OPTION...]: a run with this cache; kernels N CACHE: how many it has
go() { POCL_CACHE_DIR=$work/$1 "$CORNERTURN" run p.json --plan default "${@:2}"; }
kernels() { find "$1" -name '*.so' ! -empty | wc -l; }
milliseconds() { date +%s%3N; }

mkdir whole
go whole >log 2>&1 || { cat log; exit 1; }
all=$(kernels whole)
[ "$all" -gt 3 ] || { echo "skipped: the driver keeps no kernels where this test looks ($all)"; exit 77; }
mkdir expected && mv ./*.npy expected

# stop SIGNAL COUNT: once the cache has something, or so many kernels
stop()
{
    local pid code=0 begun took
    rm -rf cache && mkdir cache
    POCL_CACHE_DIR=$work/cache "$CORNERTURN" run p.json --plan default >said 2>&1 &
    pid=$!
    while kill -0 $pid && { [ -z "$(ls cache)" ] || [ "$(kernels cache)" -lt "$2" ]; }; do sleep 0.02; done 2>/dev/null
    begun=$(milliseconds)
    kill -"$1" $pid
    wait $pid || code=$?
    took=$(($(milliseconds) - begun))
    echo "exit code $code after $took ms, $(kernels cache) of $all kernels: $(cat said)"
    [ $code -eq 130 ] && [ $took -lt 5000 ] && [ "$(kernels cache)" -lt "$all" ] &&
        grep -qxF 'interrupted: no output was written' said &&
        [ -z "$(find . -maxdepth 1 -name '.cornerturn*' -o -maxdepth 1 -name '*.npy')" ]
}
same() { for file in a b; do cmp $file.npy expected/$file.npy || return 1; done; }

for signal in INT TERM; do
    check "SIG$signal while the first one is built" stop $signal 0
    check "SIG$signal while they are started" stop $signal 1
done
check 'the next run goes on with that cache' go cache
check 'and gives the same' same

# On a terminal a line for each kernel; elsewhere a line now and then of what takes long.
shows()
{
    script -qec "POCL_CACHE_DIR=$work/none $CORNERTURN run p.json --plan default" /dev/null </dev/null |
        tr '\r' '\n' >said
    count=$(sed -n 's/.*building kernels: 1 of \([0-9]*\), ".*/\1/p' said)
    cat said
    [ "${count:-0}" -gt 2 ] || return
    for what in building starting; do
        for ((n = 1; n <= count; n++)); do grep -q "$what kernels: $n of $count, \"" said || return; done
    done
}
mkdir none
! command -v script >/dev/null || check 'progress on a terminal' shows
seldom() { [ "$(grep -cE '^(building|starting) kernels: [0-9]+ of [0-9]+, ".*", after [0-9]+ s$' text)" -le 12 ]; }
go whole >text 2>&1
check 'no line in a log where all is there' test "$(grep -c kernels: text)" -eq 0
rm -rf none && mkdir none && go none >text 2>&1
took=$(sed -n 's/.* after \([0-9]*\).* s of building kernels.*/\1/p' text)
check 'few lines in a log' seldom
[ "${took:-0}" -lt 8 ] || check 'and one at least of what takes long' grep -q 'kernels: ' text
rm -rf none && mkdir none
check 'none where it is to be quiet' test -z "$(go none --quiet 2>&1)"
[ "$failed" -eq 0 ]
