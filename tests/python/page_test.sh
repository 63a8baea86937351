#!/usr/bin/env bash
# page_test.sh BUILD: the blocks of docs/python.md, one after another, print what the page says. Skipped where no
# python3 has numpy.
set -uo pipefail
root=$(pwd) build=$(cd "$1" && pwd)
. tests/python/python.sh "$build"
export PYTHONPATH=$root/python XDG_DATA_HOME
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_DATA_HOME=$work/data # not what others have tuned
failed=0 count=0
. tests/docs/pages.sh

cd "$work" || exit 1
take_pages "$root/docs/python.md"
echo "$count blocks, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 4 ]
