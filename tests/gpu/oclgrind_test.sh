#!/usr/bin/env bash
# oclgrind_test.sh [STAGE...]: every ninth variant of a quick verify inside Oclgrind, an OpenCL device
# that checks every access: nothing may be read or written outside an array, and no two work-items may
# race. PART=0/1 takes all of them, every case of every stage at any number of polarizations. Then every
# 27th (PART_GPU) at the defaults of a GPU, with its work-groups and its local memory.
# The FFT is left out: its engines are libraries, and clFFT's kernels are released while the program
# ends, when Oclgrind has already freed what it notes calls in. Optimisation, inlining and `restrict`
# are switched off, since Oclgrind does not know what the optimiser makes of them.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
command -v oclgrind >/dev/null || { echo "oclgrind is not installed: skipped"; exit 77; }
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(fir ppf delay shift flag convert baseline zerodm beamformer beamdetect correlator detect products dedisp pulses
    transpose)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
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
# Not of the correlator, whose instructions for GPUs Oclgrind does not survive, and of pulses, which takes minutes.
[ $# -gt 0 ] || stages=(fir ppf delay shift flag convert baseline zerodm beamformer beamdetect detect products dedisp transpose)
check --part "${PART_GPU:-0/27}" --device as:examples/devices/h200.json
