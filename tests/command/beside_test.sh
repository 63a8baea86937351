#!/usr/bin/env bash
# beside_test.sh: while a run builds its kernels, another process builds them from the last one on. What that
# builds is what the run looks for, it is started where kernels take long only, and ends with the run.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

pipeline='{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "SPT", "type": "ci8", "sizes": { "S": 5, "P": 2 }, "sample_time_s": 5.12e-6 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir" },
  "power": { "stage": "detect", "input": "fft", "stokes": "IQUV" },
  "vis": { "stage": "correlator", "input": "fft", "integrate": 64 },
  "a": { "stage": "sink.npy", "input": "power", "file": "a.npy" },
  "b": { "stage": "sink.npy", "input": "vis", "file": "b.npy" } } }'
echo "$pipeline" >p.json
head -c 40960 /dev/urandom >v.raw

# go CACHE: a run with this cache; kernels CACHE: how many it has
go() { POCL_CACHE_DIR=$work/$1 "$CORNERTURN" run p.json --plan default; }
kernels() { find "$1" -name '*.so' ! -empty | wc -l; }

# ahead CACHE: builds the default plan's kernels there
ahead()
{
    local hello plan
    hello="{\"hello\": 1, \"name\": \"p.json\", \"pipeline\": ${pipeline//$'\n'/ }}"
    "$CORNERTURN" explain p.json --plan default --save plan.json
    plan=$(tr '\n' ' ' <plan.json)
    printf '%s\n{"do": "build-ahead", "plan": %s}\n' "$hello" "$plan" |
        POCL_CACHE_DIR=$work/$1 "$CORNERTURN" serve --beside >answers
    [ "$(tail -n 1 answers)" = '{"status": "ok"}' ] || { cat answers; return 1; }
}

mkdir alone ahead
POCL_CACHE_DIR=$work/alone "$CORNERTURN" run p.json --plan default >log 2>&1 || { cat log; exit 1; }
all=$(kernels alone)
[ "$all" -gt 3 ] || { echo "skipped: the driver keeps no kernels where this test looks ($all)"; exit 77; }
mkdir expected && mv ./*.npy expected
same() { for file in a b; do cmp $file.npy expected/$file.npy || return 1; done; }

check 'kernels are built ahead' ahead ahead
check 'all that a run has built' [ "$(kernels ahead)" = "$all" ]
check 'a run with them' go ahead
check 'has nothing to build' [ "$(kernels ahead)" = "$all" ]
check 'and gives the same' same
# Arrays of a long block stay untouched but for a group of each kernel: a tenth of them, beside the compiler, is much.
small()
{
    sed 's/1024/4194304/' p.json >long.json
    "$CORNERTURN" explain long.json --plan default --save plan.json >said
    needs=$(sed -n 's|^memory: \([0-9.]*\) \([GM]\)iB.*|\1 \2|p' said | awk '{ print $1 * ($2 == "G" ? 1024 : 1) }')
    local most=0 now
    mkfifo questions
    POCL_CACHE_DIR=$work/alone "$CORNERTURN" serve --beside <questions >answers &
    exec 9>questions
    printf '{"hello": 1, "name": "long.json", "pipeline": %s}\n{"do": "build-ahead", "plan": %s}\n' "$(tr '\n' ' ' <long.json)" "$(tr '\n' ' ' <plan.json)" >&9
    for ((n = 0; n < 600 && $(wc -l <answers) < 2; n++)); do sleep 0.1; done
    most=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$!/status")
    exec 9>&-
    wait $!
    echo "$most KiB of $needs MiB"; tail -n 1 answers
    [ "$(tail -n 1 answers)" = '{"status": "ok"}' ] && awk "BEGIN { exit !($needs > 700 && $most < 250e3 + $needs * 1024 / 10) }"
}
check 'hardly any memory' small
refused() { echo '{"do": "build-ahead"}' | "$CORNERTURN" serve | grep -q '"status": "usage".*expected \\"hello\\" before \\"build-ahead\\"'; }
check 'not before hello' refused

[ "$(nproc)" -gt 1 ] || { echo 'one core: no process beside a run'; exit $((failed > 0)); }
# beside PID: the processes that build for it
beside() { for child in $(cat "/proc/$1"/task/*/children); do grep -qaz -e --beside "/proc/$child/cmdline" && echo "$child"; done; } 2>/dev/null
gone() { for ((n = 0; n < 100; n++)); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.05; done; return 1; }

# begins CACHE: a run that has one
begins()
{
    POCL_CACHE_DIR=$work/$1 "$CORNERTURN" run p.json --plan default >log 2>&1 &
    run=$!
    until builder=$(beside $run) && [ -n "$builder" ]; do kill -0 $run 2>/dev/null || return 1; sleep 0.01; done
}
cold()
{
    rm -rf cold && mkdir cold
    begins cold
}
ends() { wait $run && same && gone "$builder"; }
killed() { kill -9 $run; wait $run; gone "$builder"; } 2>/dev/null
check 'a cold run has one' cold
check 'which ends with it' ends
check 'another' cold
check 'which ends where the run is killed' killed
# A busy machine may be slow once.
warm() { for ((n = 0; n < 5; n++)); do begins alone || { wait $run && same && return; }; wait $run; done; return 1; }
check 'a warm run has none' warm
exit $((failed > 0))
