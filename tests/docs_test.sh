#!/usr/bin/env bash
# docs_test.sh: runs every command that stands in a ```sh block of the README and docs/, in order, in
# a copy of examples/. Commands that set the tree up are left out here: they run us.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/build"
ln -s "$CORNERTURN" "$work/build/cornerturn"
cp -r "$root/examples" "$work/examples"
rm -rf "$work"/examples/data/*
cd "$work" || exit 1

# commands PAGE: the lines of its sh blocks
commands() { awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$1"; }

failed=0 count=0
while read -r command; do
    case $command in
    scripts/* | cmake\ *) continue ;;
    esac
    count=$((count + 1))
    if ! bash -euo pipefail -c "$command" >"$work/log" 2>&1; then
        failed=$((failed + 1))
        printf 'failed: %s\n' "$command"
        tail -n 5 "$work/log"
    fi
done < <(commands "$root/README.md"; for page in "$root"/docs/*.md; do commands "$page"; done)

for example in examples/*.json; do
    count=$((count + 1))
    if ! build/cornerturn run "$example" >"$work/log" 2>&1; then
        failed=$((failed + 1))
        printf 'failed: run %s\n' "$example"
        tail -n 5 "$work/log"
    fi
done
echo "$count commands, $failed failed"
[ "$failed" -eq 0 ]
