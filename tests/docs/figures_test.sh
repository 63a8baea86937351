#!/usr/bin/env bash
# figures_test.sh BUILD: the README's figures are what bench/figures.sh draws today: those of committed results to the byte, the
# demo's in form (numbers may differ between processors), and that one without gaps between bins.
set -uo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail()
{
    failed=$((failed + 1))
    echo "failed: $*; after 'bench/figures.sh' it is today's"
}

bench/figures.sh "$build" "$work" || exit 1
for figure in gains speed; do
    cmp "$work/$figure.svg" "docs/$figure.svg" || fail "docs/$figure.svg is older than the results"
done

# What a picture consists of, without its numbers, colours and how often strokes are there.
form() { sed -E 's/stroke="#[0-9a-f]{6}" stroke-width/stroke-width/; s/( d=")[^"]*/\1/; s/#[0-9a-f]{6}/#/g; s/-?[0-9]+(\.[0-9]+)?/0/g' "$1" | uniq; }
form "$work/found.svg" >"$work/today"
form docs/found.svg >"$work/committed"
diff "$work/today" "$work/committed" || fail 'docs/found.svg has another form than what the demo draws'

# covered FILE: the part of the plane of time and DM that strokes cover: noise has a level everywhere.
covered()
{
    grep -oE '^<path stroke="#[^>]*' "$1" | grep -oE 'h[0-9.]+' | tr -d h |
        awk '{ sum += $1 } END { printf "%.2f\n", sum / (520 * 128) }'
}
for picture in "$work/found.svg" docs/found.svg; do
    awk -v part="$(covered "$picture")" 'BEGIN { exit !(part > 0.95 && part < 1.01) }' ||
        fail "$picture: strokes cover $(covered "$picture") of the plane"
done
[ "$(grep -oE 'Strongest pulse: beam [0-9]+' docs/found.svg)" = "$(grep -oE 'Strongest pulse: beam [0-9]+' "$work/found.svg")" ] ||
    fail 'docs/found.svg has another beam'
[ "$failed" -eq 0 ]
