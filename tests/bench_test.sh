#!/usr/bin/env bash
# bench_test.sh: the verb bench as a person uses it: tables, the file, exit codes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "bench: $1" >&2; exit 1; }

[ -x "$CORNERTURN" ] || { echo 'skipped: no command was built'; exit 77; }
"$CORNERTURN" info devices >/dev/null 2>&1 || { echo 'skipped: no OpenCL device'; exit 77; }

"$CORNERTURN" bench dedisp --size small --rounds 1 --budget 0 --layouts \
    --json "$folder/measured.json" >"$folder/table.md"
grep -q '^| fma_f32 | [0-9]' "$folder/table.md" || fail 'no limits in the table'
grep -q '^| dedisp f32 CT > DT ' "$folder/table.md" || fail 'no stage in the table'
[ "$(grep -cE '^\| (CT|TC) \| (DT|TD) \| [0-9]' "$folder/table.md")" -eq 4 ] ||
    fail 'expected two read and two write layouts'
grep -q 'WRONG' "$folder/table.md" && fail 'tunables change what is written'
grep -q '"stages": \[' "$folder/measured.json" || fail 'no measurements in the file'
[ ! -e "$folder/measured.json.part" ] || fail 'a partial file is left'

# expect CODE WORDS arguments..: the exit code, and what the sentence must hold.
expect() {
    local code=0 want=$1 words=$2
    shift 2
    "$CORNERTURN" bench "$@" >"$folder/out" 2>"$folder/err" || code=$?
    [ "$code" -eq "$want" ] || fail "'$*': expected exit code $want, found $code"
    grep -qF "$words" "$folder/err" || fail "'$*': expected \"$words\", found: $(cat "$folder/err")"
}
expect 2 'did you mean "small"?' --size smal
expect 2 'did you mean "transpose"?' transpos --size small
expect 2 'expected 1 to 99 rounds, found 0' --rounds 0
expect 2 'port X cannot have layout CX' dedisp --size small --budget 0 --read CX
expect 3 'no tunable "VECTOR_U"; did you mean "VECTOR_T"?' dedisp --size small --set VECTOR_U=8
expect 3 'expected one of' dedisp --size small --set VECTOR_T=seven
expect 2 'expected --set NAME=VALUE, found "VECTOR_T"' dedisp --size small --set VECTOR_T

"$CORNERTURN" bench dedisp --size small --rounds 1 --read TC --write TD --set VECTOR_T=8 >"$folder/table.md"
grep -q '^| dedisp f32 TC > TD .*VECTOR_T=8 ' "$folder/table.md" || fail 'layouts and tunables are not as asked'
