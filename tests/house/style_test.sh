#!/usr/bin/env bash
# style_test.sh: what the compiler does not check: reserved words, lengths, headers that stand alone.
# Runs in the repository's root with the build folder. Prints each place that breaks a rule.
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

# What `cornerturn info stage` says under a heading, without the column names.
info_of() { "$build/cornerturn" info stage "$1" | awk -v "from=$2" '/^$/ { on = 0 } on && on++ > 1; $0 == from { on = 1 }'; }

# "fir TILE_T TILE_ T SPT": a tunable of a stage, its role, the letters that follow, and those of the
# stage's dimensions.
tunables() {
    "$build/cornerturn" info stages | while read -r stage _; do
        dims=$(info_of "$stage" ports | awk '{ print $3 }' | tr -cd 'A-Z')
        info_of "$stage" tunables | grep -oE '^  [A-Z_]+' | while read -r name; do
            role=$(sed -E 's/^([A-Z]+_)[A-Z]+$/\1/' <<<"$name")
            echo "$stage $name $role ${name#"$role"} ${dims:-none}"
        done
    done
}

# "TILE_ fir": the roles of docs/tunables.md, each with every stage that is said to have it.
roles() { awk -F'|' '/^\| `/ { n = split($5, stage, " "); gsub(/[` ]/, "", $2); for (i = 1; i <= n; i++) print $2, stage[i] }' docs/tunables.md; }

# The comments' lines of sources and kernels whose words are held: "FILE:LINE:TEXT".
comments() {
    find include base layouts core stages io tuner cli bench tests \( -name '*.c' -o -name '*.h' -o -name '*.cl' \) \
        -exec grep -nHE '/\*|^ *\*' {} +
}

# All text of the repository that people read or write by hand, but this test and the glossary.
texts() {
    find include base layouts core stages io tuner cli tests bench docs examples scripts cmake ./*.md \
        \( -name '*.[ch]' -o -name '*.cl' -o -name '*.in' -o -name '*.md' -o -name '*.sh' -o -name '*.1' \) \
        ! -path tests/house/style_test.sh ! -path docs/words.md "$@"
}

# "draft|drafts<tab>staged output<tab>.": what docs/words.md does not let names and comments of a
# folder say, and what they say instead.
unused() {
    awk -F' *[|] *' '/^## Words that are not used/ { on = 1 } on && NF == 5 && $2 !~ /^(not|-+)$/ {
        gsub(/, /, "|", $2); print $2 "\t" $3 "\t" $4 }' docs/words.md
}

# "FILE:LINE:TEXT": all lines of sources and kernels, without what stands between quotes.
unquoted() {
    find include base layouts core stages io tuner cli mpi bench tests ! -path '*/peers/*' \
        \( -name '*.c' -o -name '*.h' -o -name '*.cl' \) -exec \
        awk '{ gsub(/"([^"\\]|\\.)*"/, "\"\""); print FILENAME ":" FNR ":" $0 }' {} +
}

rooms=()
for room in include base layouts core stages io tuner cli; do
    [ -d "$room" ] && rooms+=("$room")
done

# What a stage's folder lacks: files, where the data sheet has what belongs there, and headings.
headings='## Definition ## How it works ## Tunables ## Speed ## References '
no_stages=' stages/shared stages/own '
shape_of() {
    local folder=$1 stage=${1##*/}
    local sheet=$folder/$stage.c
    for file in "$stage.c" "${stage}_ref.c" "${stage}_test.c" README.md; do
        [ -f "$folder/$file" ] || echo "$folder lacks $file"
    done
    grep -qE '[ {]\.(suggest|legal|launch) = ' "$sheet" && [ ! -f "$folder/${stage}_tune.c" ] && echo "$folder lacks ${stage}_tune.c"
    grep -qE '[ {]\.emit = ' "$sheet" && [ ! -f "$folder/${stage}_emit.c" ] && echo "$folder lacks ${stage}_emit.c"
    grep -qE '^ *(\.kernel = \{)?\.text = ' "$sheet" && [ ! -f "$folder/$stage.cl" ] && echo "$folder lacks $stage.cl"
    grep -nE '^static .*\<([a-z]*_)?(suggest|legal|launch|emit|reference)\(' "$sheet" | sed "s|^|$sheet:|"
    head -n 1 "$folder/README.md" | grep -q "^# $stage: " || echo "$folder/README.md does not begin with \"# $stage: \""
    [ "$(grep '^## ' "$folder/README.md" | tr '\n' ' ')" = "$headings" ] || echo "$folder/README.md has other headings than $headings"
}

check() {
    for folder in stages/*/; do
        [[ "$no_stages" == *" ${folder%/} "* ]] || shape_of "${folder%/}"
    done | complain 'stage folders have one shape (docs/writing-a-stage.md)'
    # So has what new-stage writes.
    made=$(mktemp -d)
    (command=$(realpath "$build/cornerturn") && mkdir "$made/stages" && cd "$made/stages" && "$command" new-stage power --tree >/dev/null &&
        cd .. && shape_of stages/power) | complain 'a new stage has the shape of the others'
    rm -r "$made"

    sources "${rooms[@]}" | grep -v '^base/' |
        xargs grep -nE '\<(malloc|calloc|realloc|aligned_alloc|posix_memalign|strn?dup)\(' |
        complain 'memory is taken in base/ only'

    # A program that embeds the library may have set a locale with a comma before the decimals.
    sources "${rooms[@]}" | grep -vE '^base/number\.c$' |
        xargs grep -nE '\<(strto(d|f|ld)|atof|v?sscanf|vs?n?printf|vfprintf)\(' |
        grep -vE 'sscanf\(line, "%127\[' |
        complain 'real numbers are read and printed by ct_number_read and ct_number_print'
    sources "${rooms[@]}" | grep -v '^cli/' |
        xargs grep -nE '\<(sn?|f)?printf\([^;]*%[-+ #0-9.*]*l?[aefgAEFG]' |
        complain 'real numbers are printed by ct_number_print, ct_text_add or ct_error_add'

    # What a room sees is its include path (cmake/rooms.cmake, tests/house/rooms_test.sh); a path in an
    # include would go around it.
    sources "${rooms[@]}" | xargs grep -nE '#include ".*/' |
        complain 'an include names a file of a room that this one sees, without a folder'

    # The contract is four headers, however long.
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

    find . -path './build*' -prune -o \( -name '*.c' -o -name '*.h' -o -name '*.sh' \) -print | while read -r file; do
        head -n 2 "$file" | grep -qE "^(/[*]|#) ${file##*/}(:| .*:)" || echo "$file"
    done | complain "a file's first line names it"

    names=$(tunables)
    [ -n "$names" ] || echo "cornerturn info stage names no tunables: $build/cornerturn"
    diff <(roles | sort) <(awk '{ print $3, $1 }' <<<"$names" | sort -u) | grep '^[<>]' |
        sed 's/^</only the page:/; s/^>/only the stage:/' |
        complain 'the roles of tunables, and who has them, are those of docs/tunables.md'
    awk 'NF > 4 && $4 !~ "^[XY" $5 "]+$" { print $1 ": " $2 }' <<<"$names" |
        complain "a tunable's letters are the stage's dimensions, or port X or Y"
    awk '{ print $1 }' <<<"$names" | sort -u | while read -r stage; do
        info_of "$stage" tunables | grep '^  WG ' | grep -v ' work-items of a work-group$' | sed "s/^/$stage:/"
    done | complain 'WG is the work-items of a work-group'
    grep -nE '\>->tunable\[' stages -r --include='*.c' | grep -v 'step->tunable\[i\]' |
        complain "a stage finds its tunables by name, not by their places"

    # What probes need has a name, which a device's file can have in its "accepts".
    grep -nE 'ct_step_device_accepts\(' -r stages --include='*.c' | cut -d: -f1 | sort -u | xargs grep -L '// needs ' |
        complain 'the text that a device is asked about begins with a line "// needs NAME" (docs/devices.md)'
    { grep -hoE '// needs [a-z0-9_]+' -r stages --include='*.c' | cut -d' ' -f3
        sed -n '/^## What a compiler takes/,/^## /s/^| `\([a-z0-9_]*\)` .*/\1/p' docs/devices.md; } | sort -u | while read -r name; do
        grep -qE "// needs $name\>|\"$name\"" -r stages --include='*.c' && grep -q "^| \`$name\` " docs/devices.md || echo "$name"
    done | complain 'the table of docs/devices.md names what stages ask about, and they ask about what it names'

    # Files that sources and pages speak of are there. Tests name some that never were.
    { sources "${rooms[@]}"; find README.md CONTRIBUTING.md docs bench stages io -name '*.md'; } |
        xargs grep -noE '\<(base|layouts|core|tuner|stages|io|cli|docs|include|cmake|scripts|bench|tests)/[a-z0-9_/.-]+\.(cl|c|h|sh|md|json|cmake|in)\>' |
        while IFS=: read -r file line name; do
            [ -e "$name" ] || echo "$file:$line: $name"
        done | complain 'a file that is named is there'

    # ct_<file>_<verb>: a function's name begins with its file's (a word of it, or the folder's).
    # A verb of the command is ct_verb_x in cli/x.c. Two public calls are named after what they are
    # asked of: tuner/choose.c makes the default plan, core/step/legal.c reads a stage's `where`.
    sources "${rooms[@]}" | grep '\.c$' | while read -r file; do
        stem=$(basename "$file" .c)
        folder=$(basename "$(dirname "$file")")
        own="($stem|${stem%%_*}|${stem##*_}|$folder)s?"
        case $file in
        cli/*) own="$own|verb_$stem" ;;
        tuner/*) own="$own|tune" ;;
        esac
        grep -oE '^[a-z][A-Za-z0-9_ ]*[ *]ct_[a-z0-9_]+\(' "$file" | grep -vE '^(static|typedef)' | grep -oE 'ct_[a-z0-9_]+\(' |
            grep -vE "^ct_($own)(_|\()|^ct_(plan_default|stage_condition)\(" | sed "s|^|$file: |; s|(\$||"
    done | complain 'a function is named after its file'

    # One word, one meaning: docs/words.md. These are the words that can be searched for.
    local lines
    lines=$(mktemp)
    unquoted >"$lines"
    unused | while IFS=$'\t' read -r words but folder; do
        grep -iE "^${folder/#./}[^:]*:[0-9]+:(.*[^a-z])?($words)([^a-z]|$)" "$lines" |
            complain "say \"$but\", not \"${words//|/\", \"}\" (docs/words.md)"
    done
    rm "$lines"
    texts ! -name '*.md' -exec grep -nE '\<(Called|Used|Included) by\>' {} + |
        complain "a file's head does not list who calls it"
    texts -exec grep -niE '\<ask(s|ed|ing)? for\>.*\<(early|in advance)\>|\<ask_ahead\>' {} + |
        complain 'memory is prefetched, not asked for early'
    texts -exec grep -niE 'CT_STREAM|\<can_stream\>|stream(s|ed|ing) (past|stores)' {} + |
        complain 'stores past the caches are non-temporal'
    find stages -name '*.cl' -exec grep -nE '\<BLOCKS?\>|\<blocks?\>' {} + |
        complain 'a block is what one firing of a pipeline takes: a kernel has tiles, cells and panels'
    comments | grep -iE '\<alone\>' | complain 'say "only", not "alone"'
    comments | grep -iE '\<in front of\>' | complain 'say "before", not "in front of"'
    comments | grep -iE '\<turn(s|ed)?\>' | grep -viE 'corner turn|in turn' |
        complain 'a layout is transposed, a number rotated, a bit swapped: "turn" is in "corner turn" only'

    see="-Iinclude -Ibase -Ilayouts -Itests/shared -I$build/skeleton"
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
