#!/usr/bin/env bash
# too_large_test.sh: tunables that ask for more work-items, registers or local memory than a device has are none of this device:
# `verify` leaves them out and goes on, but not where they are the defaults.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
"$CORNERTURN" info devices >/dev/null 2>&1 || { echo 'no OpenCL device: skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "failed: $*"; cat "$work/out"; exit 1; }
cp tests/errors/own-stage-wrong-formula/power*.* "$work"
sed -i 's/sum += .*/sum += x.x * x.x + x.y * x.y;/' "$work/power.cl"
# with_group DEFAULT: of a group of one to more than there can be
with_group()
{
    sed "s/\"values\": \[1, 4, 64\], \"cpu\": 1, \"gpu\": 64/\"values\": [1, 4, 64, 2048], \"cpu\": 1, \"gpu\": $1/; s/, \"tunables\": \"WG=4\"//" \
        tests/errors/own-stage-wrong-formula/power.json >"$work/power.json"
    "$CORNERTURN" verify "$work/power.json" --quick --verbose --jobs 1 --device as:examples/devices/h200.json >"$work/out" 2>&1
}
with_group 64 || fail "verify ends with $?"
grep -q 'WG=2048' "$work/out" || fail "no tunables are too large"
grep -qE '^power .* [1-9][0-9]* tunables.*: right' "$work/out" || fail "not right"
! with_group 2048 || fail "defaults that do not fit are left out"
grep -q 'has 2048 work-items in a group; device .* takes at most 1024: choose smaller tunables' "$work/out" || fail "not the reason"
echo "tunables that are too large are left out"
