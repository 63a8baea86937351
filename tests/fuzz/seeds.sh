#!/usr/bin/env bash
# seeds.sh: a fuzz target's corpus is the text file corpus/TARGET.txt: name="bytes", a line for each seed, with
# \xHH for what is no printable letter, \\ and \" (as in a dictionary of libFuzzer).
#
#   tests/fuzz/seeds.sh pack FILE...        prints a line for each file: >>tests/fuzz/corpus/TARGET.txt
#   tests/fuzz/seeds.sh unpack TARGET FOLDER   writes each seed of the target into a file of the folder
#   tests/fuzz/seeds.sh merge TARGET FOLDER    after fuzz.sh with KEEP: adds what of the folder reaches new code,
#                                           and drops seeds with a number for a name whose code others reach
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

pack()
{
    local file
    for file in "$@"; do
        printf '%s="' "${file##*/}"
        od -An -v -tx1 -w1 "$file" | awk '
            BEGIN { for (i = 32; i < 127; i++) letter[sprintf("%02x", i)] = sprintf("%c", i)
                    letter["22"] = "\\\""; letter["5c"] = "\\\\" }
            { printf "%s", $1 in letter ? letter[$1] : "\\x" $1 }'
        printf '"\n'
    done
}

unpack()
{
    local line text
    mkdir -p "$2"
    while IFS= read -r line; do
        [[ $line == [!#]*'="'*'"' ]] || continue
        text=${line#*=\"}
        text=${text%\"}
        printf %b "${text//\\\"/\"}" >"$2/${line%%=*}"
    done <"$here/corpus/$1.txt"
}

# Seeds with a name of letters stand for something: a mended mistake, an example. They stay.
merge()
{
    local work found
    work=$(mktemp -d)
    found=$(realpath "$2")
    unpack "$1" "$work/all"
    mkdir "$work/some" "$work/run"
    find "$work/all" -type f -regex '.*/[0-9a-f]*' -exec mkdir -p "$work/numbered" \; -exec mv -t "$work/numbered" {} +
    cp -r "$work/all/." "$work/some"
    [ ! -d "$work/numbered" ] || found="$work/numbered $found"
    # shellcheck disable=SC2086 # several folders
    (cd "$work/run" && "$OLDPWD/build/fuzz/tests/fuzz.$1" -merge=1 "$work/some" $found) >"$work/log" 2>&1 ||
        { tail -n 5 "$work/log"; exit 1; }
    for seed in "$work/some"/*; do
        [ -e "$work/all/${seed##*/}" ] || mv "$seed" "$work/some/$(md5sum <"$seed" | cut -c1-10)"
    done
    pack "$work/some"/* >"$here/corpus/$1.txt"
    rm -rf "$work"
}

"$@"
