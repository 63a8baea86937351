#!/usr/bin/env bash
# verify_test.sh: which stages, and which of their cases, `cornerturn verify` tries.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

tried() { "$CORNERTURN" verify "$@" --most-layouts 2 --most-tunables 1 --jobs 1; }
says_of() { tried "${@:2}" 2>&1 | grep -E -- "$1"; }

# Subbands are an optional dimension of the FFT: each of its layouts is that of some cases only.
check 'cases without subbands' says_of '^fft +[67] cases, .* right' fft --read SPTC --write SPTC
check 'cases with subbands' says_of '^fft +2 cases, .* right' fft --read SFPTC --write SPTC
check 'splits that no case of a layout shows' says_of '^convert +1 case, .* right' convert --read TC
check 'a layout of no case' says 2 'stage fft has no case with the layout of its input SSTC' "$CORNERTURN" verify fft --read SSTC
check 'and of its output' says 2 'stage fft has no case with the layout of its output SSTC' "$CORNERTURN" verify fft --write SSTC

# Any number of stages: a GPU's tests name all of them.
check 'forty stages' says 2 'but port X of stage detect has the dimensions' "$CORNERTURN" verify $(yes detect | head -40) --read Z

[ "$failed" = 0 ] && echo "verify: all as expected"
exit "$failed"
