#!/usr/bin/env bash
# search_test.sh BUILD: a search in data with all kinds of interference: every burst of S/N 12 and above is found as one candidate,
# and nothing else is; the data without the steps against interference are not as clean, so these are what does it.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
[ -x "$build/bench/bench.search" ] || { echo "bench.search is not built: skipped"; exit 77; }
search() { BUILD=$build "$root/bench/search.sh" --seconds 24 --bursts 0.5 --folder "$work" --check "$@" >"$work/said" 2>&1; }
fail() { echo "failed: $1"; cat "$work/said"; failed=1; }

search --data all --chains all || fail 'with all kinds of interference, by all steps'
search --data clean --chains none || fail 'without interference, by none'
search --data all --chains none && fail 'interference alone should be found without any step'
exit $failed
