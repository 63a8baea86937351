#!/usr/bin/env bash
# oclgrind_test.sh [STAGE...]: every ninth variant of a quick verify inside Oclgrind, an OpenCL device
# that checks every access: nothing may be read or written outside an array, and no two work-items may
# race. PART=0/1 takes all of them, every case of every stage at any number of polarizations. Then every
# 27th (PART_GPU) at the defaults of a GPU, with its work-groups and its local memory, but none of its instructions:
# Oclgrind takes inline assembly, such as that of the test for ptx_dp4a, and crashes when it runs it.
# The FFT is left out: its engines are libraries, and clFFT's kernels are released while the program
# ends, when Oclgrind has already freed what it notes calls in; its passes on GPUs are also those of ppf. Optimisation, inlining and `restrict`
# are switched off, since Oclgrind does not know what the optimiser makes of them.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
command -v oclgrind >/dev/null || { echo "oclgrind is not installed: skipped"; exit 77; }
# without STAGE...: all stages but these
without() { "$CORNERTURN" info stages --json | grep -oE '"name": "[a-z]+", .*"role": "kernel"' | cut -d'"' -f4 | grep -vxF "$(printf '%s\n' "$@")"; }
stages=("$@")
[ $# -gt 0 ] || mapfile -t stages < <(without fft)
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
check()
{
    oclgrind --local-mem-size 49152 --build-options "-cl-opt-disable -Drestrict= -Dalways_inline= -D__builtin_prefetch=(void)" --data-races --log "$log" \
        "$CORNERTURN" verify "${stages[@]}" --quick "$@" || exit 1
    if [ -s "$log" ]; then
        head -40 "$log"
        exit 1
    fi
}
check --part "${PART:-0/9}"
# Not of pulses, which takes minutes.
[ $# -gt 0 ] || mapfile -t stages < <(without fft pulses)
sed 's/"accepts": .*/"accepts": [] }/' examples/devices/h200.json >"$work/gpu.json"
grep -q '"accepts": \[\] }' "$work/gpu.json" || { echo "examples/devices/h200.json lists what it accepts otherwise than this test expects"; exit 1; }
check --part "${PART_GPU:-0/27}" --device "as:$work/gpu.json"
