#!/usr/bin/env bash
# command_test.sh [BUILD]: what the verbs print and write. tests/command/ holds a pipeline and what explain
# must say of it, word for word (UPDATE=1 writes that anew, to be read before it is committed).
set -uo pipefail
: "${CORNERTURN:?the command to test}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(pwd) build=$(cd "${1:-build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/pipeline.json" "$work"
cd "$work" || exit 1
failed=0

. "$root/tests/shared/check.sh"

golden()
{
    "$CORNERTURN" "${@:2}" >found 2>log || { cat log; return 1; }
    [ -n "${UPDATE:-}" ] && cp found "$here/$1"
    diff -u "$here/$1" found
}

# Tunables, tables and scratch are the stages' business: left out, as is what follows from them.
golden_explain()
{
    "$CORNERTURN" explain pipeline.json | sed '/^tunables/,/^$/d' |
        sed -E '/^ +(table|scratch) /d; s/^memory: .*/memory:/' >found
    [ -n "${UPDATE:-}" ] && cp found "$here/explain.txt"
    diff -u "$here/explain.txt" found
}

has() { "$CORNERTURN" "${@:2}" 2>&1 | grep -F -- "$1" >/dev/null; }

check 'the version' grep -qE '^cornerturn [0-9]+\.[0-9]+\.[0-9]+$' <("$CORNERTURN" --version)
for verb in $("$CORNERTURN" --help | awk '/^verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
    check "help of $verb" has "usage: cornerturn $verb" "$verb" --help
done
check 'explain' golden_explain
check 'explain --dot' golden explain.dot explain pipeline.json --dot
check 'source has a part for each kernel' has '#line 1 "stages/fir/fir.cl"' source pipeline.json
check 'info devices' has 'compute units' info devices
check 'info stage' has 'poly-phase' info stage fir

check 'a run' "$CORNERTURN" run pipeline.json
cp vis.npy whole.npy
cp spectra.npy whole-spectra.npy
check 'a dump is what a sink writes' "$CORNERTURN" run pipeline.json --dump fft.Y=dump.npy
check 'the same spectra' cmp spectra.npy dump.npy
check 'another block size' "$CORNERTURN" run <(sed 's/1024/2048/' pipeline.json) \
    --set "out.file=$work/vis.npy" --set "spectra.file=$work/spectra.npy"
check 'the same visibilities for it' cmp vis.npy whole.npy
check 'a saved plan' "$CORNERTURN" explain pipeline.json --save plan.json
check 'a run by it' "$CORNERTURN" run pipeline.json --plan plan.json
check 'the same visibilities by it' cmp vis.npy whole.npy
check 'two blocks only' "$CORNERTURN" run pipeline.json --blocks 2
check 'half of the data from them' test "$(stat -c %s spectra.npy)" -lt \
    "$(($(stat -c %s whole-spectra.npy) * 3 / 4))"
check 'what a run left out' has 'the last 58 samples of "fft" (0.00475 s) are left out' \
    run pipeline.json --set sky.samples=4000
check 'a trace' has 'correlator' run pipeline.json --trace
check 'a setting' has 'T=128 C=8' explain pipeline.json --set fir.channels=8

check 'simulate names its one file' has 'wrote one.udp' simulate one.udp stations=1 samples=64
check 'simulate names a file for each station' has 'wrote two_S000.udp and two_S001.udp' \
    simulate two.udp stations=2 samples=64
check 'such files are there' test -s two_S001.udp
check 'simulate names the file beside an array' has 'wrote sky.npy and sky.npy.json' \
    simulate sky.npy stations=1 samples=64
check 'simulate counts many files' has 'wrote 7 files, many_S000.udp to many_S006.udp' \
    simulate many.udp stations=7 samples=64

# A new stage, built as somebody else's program against an installed Cornerturn (which, in a build with
# sanitizers, needs theirs).
stage_works()
{
    local sanitizer
    sanitizer=$(grep -o -m 1 -e '-fsanitize=[a-z,]*' "$1/CMakeCache.txt")
    "$CORNERTURN" new-stage power --tree &&
        cmake --install "$1" --prefix "$work/prefix" &&
        cmake -DINPUT=power/power.cl -DOUTPUT=power/power_cl.h -DNAME=power_cl \
            -P "$root/cmake/embed.cmake" &&
        PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name cornerturn.pc)") &&
        export PKG_CONFIG_PATH &&
        cc -std=c11 -Wall -Wextra -Werror $sanitizer -Ipower power/power.c power/power_tune.c \
            power/power_ref.c "$here/stage.c" -o stage \
            $(pkg-config --cflags --libs cornerturn) &&
        LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/*} ./stage
}
check 'a new stage builds and agrees with its reference' stage_works "$build"

# Its one line in stages/stages.c makes it one of the library's own: here of the archive, since a shared
# library has its list inside.
line_works()
{
    local sanitizer
    sanitizer=$(grep -o -m 1 -e '-fsanitize=[a-z,]*' "$1/CMakeCache.txt")
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name cornerturn.pc)") &&
        export PKG_CONFIG_PATH &&
        sed 's/^    ROW(fir) .*/&\n    ROW(power) \\/' "$root/stages/stages.c" >stages.c &&
        cc -std=c11 -Wall -Wextra -Werror -DBUILT_IN $sanitizer -Ipower -I"$root/base" power/power.c \
            power/power_tune.c power/power_ref.c stages.c "$here/stage.c" -o stage \
            $(pkg-config --static --cflags --libs cornerturn | sed 's/-lcornerturn/-l:libcornerturn.a/') &&
        ./stage
}
check 'its line in stages/stages.c makes it a built-in stage' line_works "$build"

[ "$failed" -eq 0 ] && echo 'all as expected'
[ "$failed" -eq 0 ]
