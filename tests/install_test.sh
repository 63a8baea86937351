#!/usr/bin/env bash
# install_test.sh BUILD: installs into a new prefix, moves that, and builds a program against it by
# pkg-config and by find_package.
set -euo pipefail
build=$1
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
pc=$(find "$work/prefix" -name cornerturn.pc)
export PKG_CONFIG_PATH="${pc%/*}"

# shellcheck disable=SC2046 # the flags are words
cc -std=c11 -Wall -Werror "$tests/consumer/consumer.c" -o "$work/by-pkg-config" \
    $(pkg-config --cflags --libs cornerturn)
cmake -S "$tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" ||
    { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }

export LD_LIBRARY_PATH="${pc%/*}/.."
"$work/by-pkg-config" >"$work/one"
"$work/build/consumer" >"$work/two"
[ "$("$work/prefix/bin/cornerturn" --version)" = "cornerturn $(pkg-config --modversion cornerturn)" ]
cmp "$work/one" "$work/two"
grep -qx transpose "$work/one"
[ -s "$work/prefix/share/man/man1/cornerturn.1" ]
