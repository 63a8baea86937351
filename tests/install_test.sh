#!/usr/bin/env bash
# install_test.sh BUILD: installs into a new prefix, moves that, and builds programs against it by
# pkg-config and by find_package.
set -euo pipefail
build=$1
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Programs need the sanitizers that the library has.
sanitizer=$(grep -o -m 1 -e '-fsanitize=[a-z,]*' "$build/CMakeCache.txt" || true)
export CFLAGS=$sanitizer LDFLAGS=$sanitizer

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
pc=$(find "$work/prefix" -name cornerturn.pc)
export PKG_CONFIG_PATH="${pc%/*}"

# shellcheck disable=SC2046,SC2086 # the flags are words
cc $sanitizer -std=c11 -Wall -Werror "$tests/consumer/consumer.c" -o "$work/by-pkg-config" \
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

# The example that embeds the library: both ways again, run, told to stop, and told a mistake.
cp -r "$tests/../examples" "$work/examples"
# shellcheck disable=SC2046,SC2086
cc $sanitizer -std=c11 -Wall -Wextra -Werror "$work/examples/embed.c" -o "$work/embed" \
    $(pkg-config --cflags --libs cornerturn) -lm
cd "$work/examples"
for embed in "$work/embed" "$work/build/embed"; do
    rm -f data/spectra.*
    "$embed" embed.json radio.samples=65536 fir.taps=4 >"$work/out"
    grep -qx 'brightest channel: 40 of 64' "$work/out"
    grep -qx '4 blocks, 0.336 s of signal' "$work/out"
    [ -s data/spectra.npy ]
done
rm data/spectra.*
status=0
"$work/embed" embed.json fir.taps=0 2>"$work/err" || status=$?
[ "$status" -eq 3 ]
grep -q '^embed.json:6:[0-9]*: /nodes/fir/taps: ' "$work/err"

"$work/embed" embed.json >"$work/out" 2>"$work/err" &
pid=$!
while kill -0 $pid && ! compgen -G "data/.cornerturn-*.part" >"$work/log"; do sleep 0.1; done
kill -INT $pid
status=0
wait $pid || status=$?
[ "$status" -eq 130 ]
grep -q interrupted "$work/err"
[ -z "$(ls data)" ]
