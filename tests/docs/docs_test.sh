#!/usr/bin/env bash
# docs_test.sh BUILD: holds README, docs/ and examples/stages to what they say, in a copy of examples/. Of the
# commands it runs those of four pages, with EXHAUSTIVE=1 all, and every example:
#
#   ```sh            every line is run, in order, from a folder like the source tree's root
#   ```sh NAME..     where these programs, or modules of the build (casacore), are; its output likewise
#   ```json FILE     (any language) FILE is written, as the reader would; where the source tree has
#                    it, the block must stand in it word for word
#   ```text output   every line must be one that the command before has printed ("..." stands for any)
#   ```python        is run where there is NumPy, with the blocks of the page before it
#
# Links must lead somewhere, docs/index.md must name every page, and every stage and format have a
# README. Commands that set the tree up are left out here: they run us.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
root=$(pwd) build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
cd "$work/tree" || exit 1
export XDG_DATA_HOME=$work/data # not what others have tuned
ln -s "$build" build
cp -r "$root/examples" .
mkdir bench && cp -r "$root/bench/experiments" bench
rm -rf examples/data/*

# Programs that the pages build need the sanitizers that the library has.
sanitizer=$(grep -o -m 1 -e '-fsanitize=[a-z,]*' "$build/CMakeCache.txt")
export CFLAGS=$sanitizer LDFLAGS=$sanitizer

failed=0 count=0
. "$root/tests/docs/pages.sh"
export PYTHONPATH=$root/python CORNERTURN_LIBRARY=$build/libcornerturn.so # docs/python.md
[ -z "$sanitizer" ] || python=                                            # which cannot load it then

if [ -n "${EXHAUSTIVE:-}" ]; then
    take_pages "$root/README.md" "$root"/docs/*.md "$root"/examples/stages/*/README.md
    examples=(examples/*.json)
else
    take_pages "$root"/{README.md,docs/first-pipeline.md,docs/filterbank-to-candidates.md,docs/antennas-to-image.md}
    examples=()
fi

# What belongs to a program is run by it, above.
for example in "${examples[@]}"; do
    verb=run
    if grep -q '"sink.uvh5"' "$example" && "$build/cornerturn" validate "$example" 2>&1 | grep 'built without HDF5'; then
        echo "$example: skipped"
        continue
    fi
    grep -q '"source.caller"' "$example" && verb=validate
    run "build/cornerturn $verb $example"
done

for folder in "$root"/stages/*/ "$root"/io/*/; do
    [ "$(basename "$folder")" = shared ] || [ -f "$folder/README.md" ] || complain "$folder has no README.md"
done
dead=$(find "$root" -path "$root/build*" -prune -o -path "$root/.git" -prune -o -path "$root/shared" \
    -prune -o -name '*.md' -print | while read -r page; do check_links "$page"; done)
[ -z "$dead" ] || complain "links that lead nowhere: $dead"
for page in "$root"/docs/*.md; do
    page=${page##*/}
    [ "$page" = index.md ] || grep -qF "]($page)" "$root/docs/index.md" ||
        complain "docs/index.md does not name $page"
done

echo "$count commands, $failed failed"
[ "$failed" -eq 0 ]
