#!/usr/bin/env bash
# install_test.sh BUILD: installs into a new prefix, moves that, and builds programs against it by
# pkg-config and by find_package.
set -euo pipefail
build=$1
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
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
cc $sanitizer -std=c11 -Wall -Werror "$tests/install/consumer/consumer.c" -o "$work/by-pkg-config" \
    $(pkg-config --cflags --libs cornerturn)
cmake -S "$tests/install/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" ||
    { cat "$work/log"; exit 1; }
cmake --build "$work/build" >"$work/log" || { cat "$work/log"; exit 1; }

export LD_LIBRARY_PATH="${pc%/*}/.."
"$work/by-pkg-config" >"$work/one"
"$work/build/consumer" >"$work/two"
[ "$("$work/prefix/bin/cornerturn" --version)" = "cornerturn $(pkg-config --modversion cornerturn)" ]
cmp "$work/one" "$work/two"
grep -qx transpose "$work/one"
[ -s "$work/prefix/share/man/man1/cornerturn.1" ]
cmp "$tests/../cli/completion.bash" "$work/prefix/share/bash-completion/completions/cornerturn"

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

# Programs in C and in C++ with buffers of their own: beams as the command's, in blocks of three lengths, and
# after the second block with other weights. Files are T slowest.
# shellcheck disable=SC2046,SC2086
cc $sanitizer -std=c11 -Wall -Wextra -Werror "$tests/install/consumer/consumer_beams.c" -o "$work/beams-c" \
    $(pkg-config --cflags --libs cornerturn)
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2046,SC2086
    c++ $sanitizer -std=c++11 -Wall -Wextra -Werror "$tests/install/consumer/consumer_beams.cpp" -o "$work/beams-cpp" \
        $(pkg-config --cflags --libs cornerturn)
fi
mkdir "$work/beams"
cd "$work/beams"
cornerturn=$work/prefix/bin/cornerturn
array='"dims": "TSPC", "sizes": {"S": 3, "P": 2, "C": 4}, "type": "ci8"'
# bytes COUNT SEED: any, the same each time.
bytes() { LC_ALL=C awk -v n="$1" -v x="$2" 'BEGIN { for (i = 0; i < n; i++) { x = (x * 75 + 74) % 65537
    printf "%c", 1 + x % 126 } }'; }
bytes $((100 * 24 * 2)) 5 >in.raw
[ "$(stat -c %s in.raw)" = 4800 ]

# weights NAME NUMBER...: two beams of three stations, as the command and as a program takes them.
weights()
{
    local name=$1
    "$cornerturn" simulate "$name.raw" stations=1 samples=6 type=cf32 seed="$2" >/dev/null
    truncate -s 48 "$name.raw"
    rm "$name.raw.json"
    echo "{\"cornerturn\": 1, \"nodes\": {
        \"w\": {\"stage\": \"source.raw\", \"file\": \"$name.raw\", \"dims\": \"TS\", \"sizes\": {\"S\": 3},
              \"type\": \"cf32\"},
        \"out\": {\"stage\": \"sink.npy\", \"input\": \"w\", \"file\": \"w-$name.npy\"}}}" >w.json
    "$cornerturn" run w.json 2>"$work/log"
    rm "w-$name.npy.json"
}
weights old 1
weights new 2
if cmp -s old.raw new.raw; then exit 1; fi

# pipeline BLOCK WEIGHTS SOURCE SINK
pipeline()
{
    echo "{\"cornerturn\": 1, \"block\": {\"T\": $1}, \"nodes\": {
        \"in\": {$3, $array, \"layout\": \"TSPC\"},
        \"beams\": {\"stage\": \"beamformer\", \"input\": \"in\", \"weights\": \"w-$2.npy\"},
        \"out\": {$4, \"input\": \"beams\", \"layout\": \"TBPC\"}}}"
}
mine='"stage": "source.caller"' taken='"stage": "sink.caller"'
for block in 16 25 128; do
    for with in old new; do
        pipeline "$block" "$with" '"stage": "source.raw", "file": "in.raw"' \
            "\"stage\": \"sink.raw\", \"file\": \"$with-out.raw\"" >file.json
        "$cornerturn" run file.json --plan default 2>"$work/log"
    done
    [ "$(stat -c %s old-out.raw)" = $((100 * 2 * 2 * 4 * 8)) ]
    if cmp -s old-out.raw new-out.raw; then exit 1; fi
    pipeline "$block" old "$mine" "$taken" >own.json
    before=$((2 * block < 100 ? 2 * block : 100))
    { head -c $((before * 128)) old-out.raw; tail -c +$((before * 128 + 1)) new-out.raw; } >joined.raw
    for program in "$work"/beams-*; do
        "$program" own.json in.raw own.raw
        cmp own.raw old-out.raw
        "$program" own.json in.raw own.raw new.raw
        cmp own.raw joined.raw
    done
done
