#!/usr/bin/env bash
# faults_test.sh: calls to memory, files and OpenCL fail, one in each run (tests/faults/faults.c, which
# is the first argument, the library the second). FAULTS=all tries every call in every way; a sample of
# them (with EXHAUSTIVE=1 three times as many) needs a few seconds, and SEED=n takes the same ones again.
set -uo pipefail
work=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")") # where syncing costs nothing
trap 'rm -rf "$work"' EXIT
export LC_ALL=C POCL_AFFINITY=1

# A call that is not in the table would never fail.
families='^(cl[A-Z][A-Za-z]*|fftwf_.*alloc.*|[mc]alloc|realloc|posix_memalign|mmap|open(at)?(64)?|p?(read|write)v?(64)?|f(data)?sync|f?truncate(64)?|rename(at)?2?|link(at)?|close|l?seek(64)?)$'
missing=$(nm -u "$2" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u | grep -E "$families" |
    grep -vxFf <(sed -nE 's/^    ROW\(([A-Za-z0-9_]+),.*/\1/p' tests/faults/calls.h))
if [ -n "$missing" ]; then
    echo "calls that tests/faults/calls.h does not list: $missing"
    exit 1
fi

cp tests/faults/*.json "$work"
"$1" "$work"
