#!/usr/bin/env bash
# errors_test.sh [CASE...]: what a person reads after a mistake. Each folder of tests/errors/ holds
#   pipeline.json   the pipeline with the mistake (where there is one)
#   expected        "exit N", then standard error, word for word
#   command         what is run instead of `cornerturn validate pipeline.json`
#   prepare         what makes the inputs (not compared)
# Afterwards the folder must hold what it held before: no output, whole or partial, is left.
# UPDATE=1 writes `expected` anew, to be read before it is committed.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
cases=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$CORNERTURN" "$work/bin/cornerturn"
PATH=$work/bin:$PATH
export LC_ALL=C POCL_AFFINITY=1 XDG_DATA_HOME=$work/stored # no plan of the person who tests

files() { find . -type f ! -path './.*' | sort; }

# run_case NAME: leaves exit code and messages in $work/found
run_case()
{
    local folder=$work/$1 before after code
    cp -r "$cases/$1" "$folder"
    cd "$folder" || return 1
    rm -f expected
    if [ -f prepare ]; then
        bash -eu ./prepare >"$work/log" 2>&1 || { echo "$1: prepare failed"; cat "$work/log"; return 1; }
    fi
    before=$(files)
    if [ -f command ]; then
        bash ./command >"$work/out" 2>"$work/err"
    else
        cornerturn validate pipeline.json >"$work/out" 2>"$work/err"
    fi
    code=$?
    after=$(files)
    # Not a message of a mistake: how long kernels take so far, on a slow machine.
    { echo "exit $code"; sed -E '/^(building|starting) kernels: .* after [0-9]+ s$/d' "$work/err"; } >"$work/found"
    [ "$before" = "$after" ] && return 0
    printf '%s: files were left behind:\n%s\n' "$1" "$(diff <(echo "$before") <(echo "$after"))"
    return 1
}

# lacks NAME: it needs a library without which this command was built
lacks()
{
    local without='this Cornerturn was built without'
    grep -q "$without" "$work/found" && ! grep -q "$without" "$cases/$1/expected"
}

failed=0 count=0
cd "$cases" || exit 1
for name in ${*:-$(find . -mindepth 1 -maxdepth 1 -type d -printf "%f\n" | sort)}; do
    count=$((count + 1))
    if ! run_case "$name"; then
        failed=$((failed + 1))
    elif lacks "$name"; then
        echo "$name: skipped: $(grep -o 'built without [A-Za-z0-9]*' "$work/found" | head -n 1)"
    elif [ -n "${UPDATE:-}" ]; then
        cp "$work/found" "$cases/$name/expected"
    elif ! diff -u "$cases/$name/expected" "$work/found" >"$work/diff"; then
        failed=$((failed + 1))
        echo "$name: other messages than expected:"
        tail -n +4 "$work/diff"
    fi
    cd "$cases" || exit 1
done
echo "$count cases, $failed failed"
[ "$failed" -eq 0 ]
