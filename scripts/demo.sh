#!/usr/bin/env bash
# demo.sh: from a bare Debian 12 to a found pulse: installs what is missing, builds, simulates a
# small observation, runs the main pipeline on it, and says what it found next to what was injected.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

# number FILE KEY: the first number under a JSON key; enough for the files that are read here.
number() { grep -o "\"$2\": *-\?[0-9.e+-]*" "$1" | head -n 1 | sed 's/.*: *//'; }

# within A B TOLERANCE
within() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b <= t && b - a <= t) }'; }

# the beam that points at "az": A, "el": E in a pipeline
beam_of()
{
    tr -d '\n' <"$1" | sed 's/.*"beams": *\[\(\[[^}]*\)/\1/; s/\]\].*//' | tr -d ' ' |
        sed 's/\],\[/\n/g; s/\[//g' | awk -F, -v a="$2" -v e="$3" '$1 == a && $2 == e { print NR - 1 }'
}

setup_install
setup_is_configured || setup_has_package libcmocka-dev || set -- CT_TESTS=OFF
setup_build "$@"

demo=build/demo
rm -rf $demo
mkdir -p $demo/data
cp examples/observation.json examples/lofar.json $demo/
export POCL_AFFINITY=1

setup_say "simulating: 16 stations, 1 s of one subband at 150 MHz, one dispersed pulse"
build/cornerturn run $demo/observation.json

setup_say "running: filter bank, then beam former, detection, dedispersion; and correlator"
build/cornerturn run $demo/lofar.json --trace

sky=$demo/observation.json found=$demo/data/found.json within_dm=2 within_s=0.001
beam=$(beam_of $demo/lofar.json "$(number $sky az).0" "$(number $sky el).0")
row() { printf '%-22s %10s %10s %12s\n' "$@"; }
printf '\n'
row '' injected found 'at most off'
row 'DM (pc cm^-3)' "$(number $sky dm)" "$(number $found dm)" $within_dm
row 'arrival time (s)' "$(number $sky time_s)" "$(number $found time_s)" $within_s
row 'beam' "$beam" "$(number $found beam)" 0
row 'signal to noise' '' "$(number $found snr)" ''
printf '\npicture: %s\n' "$demo/data/found.svg"

within "$(number $sky dm)" "$(number $found dm)" $within_dm &&
    within "$(number $sky time_s)" "$(number $found time_s)" $within_s &&
    [ "$beam" = "$(number $found beam)" ] || setup_fail "the pulse was not found where it is"
