#!/usr/bin/env bash
# style_test.sh: what the compiler does not check: reserved words, lengths, headers that stand alone.
# Called by CTest in the repository's root with the build folder. Prints each place that breaks a rule.
set -u
build=${1:-build}

# complain SENTENCE: prints the places that it reads, if any, under the rule that they break.
complain() {
    local places
    places=$(cat)
    [ -z "$places" ] || printf '%s:\n%s\n' "$1" "$places"
}

# The sources, without tests and peers (they belong to no room).
sources() { find "$@" \( -name '*.c' -o -name '*.h' \) ! -name '*_test.c' ! -path '*/peers/*'; }

rooms=()
for room in include base layouts core stages io tuner cli; do
    [ -d "$room" ] && rooms+=("$room")
done

check() {
    sources "${rooms[@]}" | grep -v '^base/' |
        xargs grep -nE '\<(malloc|calloc|realloc|aligned_alloc|posix_memalign|strn?dup)\(' |
        complain 'memory is taken in base/ only'

    # What a room sees is its include path (cmake/rooms.cmake, tests/rooms_test.sh); a path in an
    # include would go around it.
    sources "${rooms[@]}" | xargs grep -nE '#include ".*/' |
        complain 'an include names a file of a room that this one sees, without a folder'

    # The contract is two headers, however long.
    { sources "${rooms[@]}" tests | grep -v '^include/'; find . -path './build*' -prune -o \( -name '*_test.c' -o -name '*.cl' -o -name '*.sh' \) -print; } |
        xargs wc -l | awk '$2 != "total" && $1 > 400 { print $2 ": " $1 " lines" }' |
        complain 'a file has at most 400 lines'

    # A function's braces stand alone at the start of a line.
    sources "${rooms[@]}" |
        xargs awk '/^{/ { start = FNR } /^}/ && start { if (FNR - start > 61)
            print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }' |
        complain 'a function has at most 60 lines'

    sources "${rooms[@]}" | while read -r file; do
        head -n 14 "$file" | grep -q 'Room: ' || echo "$file"
    done | complain 'a file opens with its purpose and its room'

    see="-Iinclude -Ibase -Ilayouts -Itests -I$build/skeleton"
    for folder in core/* tuner tuner/* io io/shared; do
        [ -d "$folder" ] && see="$see -I$folder"
    done
    sources "${rooms[@]}" | grep '\.h$' | while read -r file; do
        folders="$see -I$(dirname "$file")"
        # shellcheck disable=SC2086
        ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -Wall -Wextra $folders \
            -x c -fsyntax-only -include "$file" /dev/null 2>&1 | head -n 3
    done | complain 'a header compiles alone'
}

found=$(check)
[ -z "$found" ] && exit 0
printf '%s\n' "$found"
exit 1
