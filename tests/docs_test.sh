#!/usr/bin/env bash
# docs_test.sh BUILD: holds README, docs/ and examples/stages to what they say, in a copy of examples/:
#
#   ```sh            every line is run, in order, from a folder like the source tree's root
#   ```json FILE     (any language) FILE is written, as the reader would; where the source tree has
#                    it, the block must stand in it word for word
#   ```text output   every line must be one that the command before has printed ("..." stands for any)
#   ```python        is run where there is NumPy
#
# Links must lead somewhere, docs/index.md must name every page, and every stage and format have a
# README. Commands that set the tree up are left out here: they run us.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
root=$(pwd) build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/blocks"
cd "$work/tree" || exit 1
ln -s "$build" build
cp -r "$root/examples" .
mkdir bench && cp -r "$root/bench/experiments" bench
rm -rf examples/data/*

# Programs that the pages build need the sanitizers that the library has.
sanitizer=$(grep -o -m 1 -e '-fsanitize=[a-z,]*' "$build/CMakeCache.txt")
export CFLAGS=$sanitizer LDFLAGS=$sanitizer

failed=0 count=0
complain()
{
    failed=$((failed + 1))
    printf 'failed: %s\n' "$@"
}

run()
{
    case $1 in
    scripts/* | 'cmake -B build '*) return ;;
    esac
    count=$((count + 1))
    bash -euo pipefail -c "$1" </dev/null >"$work/log" 2>&1 && return
    complain "$1"
    tail -n 5 "$work/log"
}

# split PAGE: each fenced block becomes a file blocks/NNN-LANGUAGE, its first line what else the
# fence says.
split()
{
    rm -f "$work"/blocks/*
    awk -v to="$work/blocks/" '
        /^```/ && on { on = 0; next }
        /^```/ { on = 1; split(substr($0, 4) " text", word, " "); what = $0; sub(/^[^ ]* ?/, "", what)
                 file = sprintf("%s%03d-%s", to, ++n, word[1]); print what > file; next }
        on { print > file }' "$1"
}

# stands_in LINES TEXT: whether the lines stand in the text, one after another.
stands_in()
{
    awk 'NR == FNR { wanted[++n] = $0; next } { text[++m] = $0 }
         END { for (i = 0; i + n <= m; i++) {
                   for (k = 1; k <= n && text[i + k] == wanted[k]; k++) ;
                   if (k > n) exit 0 }
               exit 1 }' "$1" "$2"
}

# The lines of a block that the last output lacks.
lacks()
{
    awk 'function bare(line) { gsub(/^[ \t]+|[ \t]+$/, "", line); return line }
         NR == FNR { there[bare($0)] = 1; next }
         $0 != "" && $0 != "..." && !(bare($0) in there)' "$work/log" "$1"
}

take_file()
{
    if [ -f "$root/$1" ]; then
        stands_in "$2" "$root/$1" || complain "$page: a block of $1 does not stand there"
    else
        mkdir -p "$(dirname "$1")" && cp "$2" "$1"
    fi
}

take_block()
{
    local language=${1##*-} what line
    read -r what <"$1"
    tail -n +2 "$1" >"$work/body"
    case $language:$what in
    sh:) while read -r line; do run "$line"; done <"$work/body" ;;
    python:) python3 -c 'import numpy' 2>/dev/null && run "python3 $work/body" ;;
    text:output)
        line=$(lacks "$work/body")
        [ -z "$line" ] || complain "$page: not printed:
$line"
        ;;
    *:?*) take_file "$what" "$work/body" ;;
    esac
}

# anchors PAGE: the names of its headings in links.
anchors() { grep '^#' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/^#* *//; s/[^a-z0-9 _-]//g; s/ /-/g'; }

check_links()
{
    grep -o '](\([^)]*\))' "$1" | sed 's/^](//; s/)$//' | while IFS='#' read -r link anchor; do
        case $link in '' | http*) continue ;; esac
        link=$(dirname "$1")/$link
        [ -e "$link" ] && { [ -z "$anchor" ] || anchors "$link" | grep -qx -- "$anchor"; } ||
            echo "${1#"$root/"}: $link${anchor:+#$anchor}"
    done
}

for page in "$root/README.md" "$root"/docs/*.md "$root"/examples/stages/*/README.md; do
    split "$page"
    for block in "$work"/blocks/*; do
        [ -f "$block" ] && take_block "$block"
    done
done

# What belongs to a program is run by it, above.
for example in examples/*.json; do
    verb=run
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
