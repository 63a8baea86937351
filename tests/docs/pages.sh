# pages.sh: runs the commands of pages and follows their links; for docs_test.sh and installed_test.sh.
# They set root (the pages' tree), work (a folder for notes), failed and count (0), and page (which one it is).
mkdir "$work/blocks"
took=yes # the last block of commands was run
for python in python3 /usr/bin/python3 ''; do
    "${python:-false}" -c 'import numpy' 2>/dev/null && break
done

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
    rm -f "$work"/blocks/* "$work/notebook.py"
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

# Python's blocks of a page follow each other as in a notebook: what the earlier ones do is done again.
take_python()
{
    cat "$work/body" >>"$work/notebook.py"
    if [ -n "$python" ]; then run "$python $work/notebook.py"; else took=; fi
}

# needs_of WORDS: whether the programs, or modules of this build, are here.
needs_of()
{
    local word
    for word in $1; do
        command -v "$word" >/dev/null || [ -e "$build/libcornerturn_$word.so" ] || return
    done
}

take_block()
{
    local language=${1##*-} what line
    [ "$language" = text ] || took=yes
    read -r what <"$1"
    tail -n +2 "$1" >"$work/body"
    case $language:$what in
    sh:?*) needs_of "$what" || { took= && return; } ;;&
    sh:*) while read -r line; do run "$line"; done <"$work/body" ;;
    python:) take_python ;;
    text:output)
        [ -n "$took" ] || return
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

# take_pages PAGE...: their blocks, one after another.
take_pages()
{
    local page block
    for page in "$@"; do
        split "$page"
        for block in "$work"/blocks/*; do
            [ -f "$block" ] && take_block "$block"
        done
    done
}
