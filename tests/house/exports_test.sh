#!/usr/bin/env bash
# exports_test.sh SHARED STATIC: a shared library shows the calls of tests/house/exports.txt and nothing
# else, these are those that the public headers mark, and no global name lacks the prefix. A new
# public call needs its line in tests/house/exports.txt.
set -euo pipefail
shared=$1
static=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
wrong=0

# differ SENTENCE EXPECTED FOUND: prints what the two lists do not share.
differ() {
    diff "$2" "$3" >"$work/diff" && return
    wrong=1
    echo "$1:"
    grep '^[<>]' "$work/diff" | sed 's/^</expected/; s/^>/found/'
}

sort -u "$here/exports.txt" >"$work/listed"
nm -D --defined-only "$shared" | awk '{ print $3 }' | sed 's/@.*//' | sort -u >"$work/shown"
grep -hv '^#' "$here"/../../include/*.h | tr '\n' ' ' | grep -o 'CT_EXPORT [^()]*(' |
    sed 's/($//; s/.*[ *]//' | grep '^ct_' | sort -u >"$work/marked"
differ "the shared library shows other names than tests/house/exports.txt lists" "$work/listed" "$work/shown"
differ "the headers mark other names than tests/house/exports.txt lists" "$work/listed" "$work/marked"

while read -r name; do
    grep -qw "$name" "$here"/../contract/missing*_test.c && continue
    wrong=1
    echo "tests/contract/missing_test.c and missing_stage_test.c do not call $name without its arguments"
done <"$work/listed"

nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | grep -v '^ct_' >"$work/plain" || true
if [ -s "$work/plain" ]; then
    wrong=1
    echo "global names without the prefix ct_:"
    cat "$work/plain"
fi
exit $wrong
