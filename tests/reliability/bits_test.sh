#!/usr/bin/env bash
# bits_test.sh: one pipeline gives the same bytes in every process, on however many threads, also where
# a library could choose among several ways: transforms of awkward lengths. RUNS=100 tries as often;
# EXHAUSTIVE=1 more lengths.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
cores=$(nproc)
failed=0

# Floats between 0.5 and 2 of either sign, a prime number of them, over and over.
for ((i = 0; i < 1021; i++)); do
    printf -v float '\\x%02x\\x%02x\\x%02x\\x%02x' $((RANDOM & 255)) $((RANDOM & 255)) \
        $((RANDOM & 255)) $((RANDOM & 1 ? 63 : 191))
    printf '%b' "$float"
done >floats
for ((i = 0; i < 400; i++)); do cat floats; done >all

# pipeline CHANNELS WRITE: 40 spectra of 2 polarizations of 2 stations
pipeline()
{
    head -c $((160 * $1 * 8)) all >in.raw
    cat >fft.run <<END
{ "cornerturn": 1, "block": { "T": 20 }, "nodes": {
  "x": { "stage": "source.raw", "file": "in.raw", "dims": "SPTC", "type": "cf32",
         "sizes": { "S": 1, "P": 2, "C": $1 }, "sample_time_s": 1e-3 },
  "fft": { "stage": "fft", "input": "x", "layout": { "write": "$2" } },
  "out": { "stage": "sink.raw", "input": "fft", "file": "out.raw" } } }
END
}

# run N: on so many cores or fewer, pinned or not
run()
{
    POCL_AFFINITY=$(($1 & 1)) POCL_MAX_PTHREAD_COUNT=$((1 + $1 / 2 % cores)) "$CORNERTURN" run fft.run 2>log ||
        { echo "failed: run $1" "$(cat log)"; failed=$((failed + 1)); }
}

# same RUNS CHANNELS WRITE
same()
{
    pipeline "$2" "$3"
    for ((n = 0; n < ${RUNS:-$1}; n++)); do
        run "$n"
        [ -f first ] || cp out.raw first
        cmp -s out.raw first || { echo "failed: run $n of $2 channels has other bytes"; failed=$((failed + 1)); }
    done
    rm -f first out.raw
}

same 4 60 SPTC
same 4 77 CTSP
if [ -n "${EXHAUSTIVE:-}" ]; then
    same 12 60 SPTC
    same 8 1000 SPTC
    same 4 154 SPTC # a length that nothing is held for
fi
exit $((failed > 0))
