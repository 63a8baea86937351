#!/usr/bin/env bash
# plugin_test.sh BUILD: stages in shared libraries, built and used from an installed prefix that was moved,
# by the command and by programs in C and C++; and libraries that cannot be used. verify tries few layouts, of stages/fir a
# part of them, with EXHAUSTIVE=1 all.
set -uo pipefail
root=$(pwd) build=$(cd "$1" && pwd)
tests=$root/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Plug-ins and programs need the sanitizers that the library has.
sanitizer=$(grep -o -m 1 -e '-fsanitize=[a-z,]*' "$build/CMakeCache.txt" || true)
export CFLAGS=$sanitizer CXXFLAGS=$sanitizer LDFLAGS=$sanitizer
failed=0

. "$tests/shared/check.sh"

has() { "${@:2}" 2>&1 | grep -E -- "$1"; }

cp -r "$tests/stages/plugin" "$work/plugin"
cp -r "$root/stages/fir" "$work/plugin/fir"
cd "$work" || exit 1
cmake --install "$build" --prefix first >log && mv first prefix || exit 1
cornerturn=$work/prefix/bin/cornerturn
pc=$(find "$work/prefix" -name cornerturn.pc)
lib=$(cd "${pc%/*}/.." && pwd)
export PKG_CONFIG_PATH=${pc%/*}

# ---- what is installed

loads_its_library() { realpath "$(ldd "$cornerturn" | awk '/libcornerturn/ { print $3 }')" | grep -F "$lib/libcornerturn.so"; }
check 'the installed command loads the library beside it' loads_its_library
[ -n "$sanitizer" ] || check 'the installed library shows the public calls alone' \
    bash "$tests/house/exports_test.sh" "$lib/libcornerturn.so" "$lib/libcornerturn.a"

# ---- plug-ins, by CMake

plugins_build() { cmake -S plugin -B built -DCMAKE_PREFIX_PATH="$work/prefix" && cmake --build built; }
check 'plug-ins build' plugins_build
shows_one_name() { [ "$(nm -D --defined-only "$1" | grep -c ' [A-Z] ct_')" -eq 1 ]; }
check 'a plug-in shows ct_plugin alone' shows_one_name built/my_fir.so

my=(--library built/half.so --library built/my_fir.so)
check 'info stages' has '^my\.half .*half of every sample' "$cornerturn" info stages "${my[@]}"
check 'info stage' has '^my\.fir \(version' "$cornerturn" info stage my.fir "${my[@]}"
few=(--most-layouts 2 --most-tunables 1)
[ -n "${EXHAUSTIVE:-}" ] && few=()
check 'verify, in several processes' has '^my\.half .* right' "$cornerturn" verify my.half "${my[@]}" --jobs 2 "${few[@]}"
if [ -n "${EXHAUSTIVE:-}" ]; then
    check 'stages/fir, unchanged, under another name' has '^my\.fir .* right' \
        "$cornerturn" verify my.fir "${my[@]}" --quick --most-tunables 3
else # layouts and tunables were tried, none was wrong, and nothing failed
    check 'stages/fir, unchanged, under another name' has '^report my\.fir [0-9]+ [1-9][0-9]* [1-9][0-9]* [0-9]+ 0 0 0 ' \
        "$cornerturn" verify my.fir "${my[@]}" --quick "${few[@]}" --part 0/8
fi
[ ! -f built/third.so ] || check 'a stage in C++' has '^my\.third .* right' \
    "$cornerturn" verify my.third --library built/third.so "${few[@]}"

cat >pipeline.json <<'END'
{"cornerturn": 1, "nodes": {
  "sky": {"stage": "source.simulate", "stations": 2, "samples": 8192},
  "half": {"stage": "my.half", "input": "sky"},
  "fir": {"stage": "my.fir", "input": "half", "channels": 16, "taps": 4},
  "out": {"stage": "sink.npy", "input": "fir", "file": "out.npy", "layout": "SPTC"}},
 "block": {"T": 2048}}
END
sed 's/my\.fir/fir/' pipeline.json >theirs.json
check 'validate' "$cornerturn" validate pipeline.json "${my[@]}"
check 'explain' has 'my\.half' "$cornerturn" explain pipeline.json "${my[@]}"
check 'source' has '^#line 1 "half\.cl"' "$cornerturn" source pipeline.json "${my[@]}"
check 'run' "$cornerturn" run pipeline.json "${my[@]}"
mv out.npy mine.npy
check 'run, by the built-in stage' "$cornerturn" run theirs.json "${my[@]}"
check 'both write the same' cmp out.npy mine.npy
check 'tune' "$cornerturn" tune pipeline.json "${my[@]}" -o plan.json --budget 2 --only half
check 'run by that plan' "$cornerturn" run pipeline.json "${my[@]}" --plan plan.json
check 'with the same result' cmp out.npy mine.npy
check 'bench of the stage' has '^\| my\.half cf32 ' "$cornerturn" bench my.half "${my[@]}" --size small --rounds 1 --budget 0
check 'bench, in a process of its own' has '^\| default ' "$cornerturn" bench pipeline.json "${my[@]}" \
    --rounds 2 --processes 1
check 'a pipeline alone names no library' says 3 'my.half' "$cornerturn" validate \
    <(sed '/"fir":/d; s/"input": "fir"/"input": "half"/' pipeline.json)

# ---- a library that changes: plans are for the one that was there

cp built/half.so half.so
mine=(--library half.so --library built/my_fir.so)
changed='/nodes/half/digest: planned for another stage my.half: its files have changed since (half.so)'
check 'another file of the same contents' "$cornerturn" run pipeline.json "${mine[@]}" --plan plan.json
export XDG_DATA_HOME=$work/data
# The search for it has the three tunables of my.half to try, and not the thousands of fir.
sed '/"fir":/d; s/"input": "fir"/"input": "half"/; s/"SPTC"/"SPT"/' pipeline.json >small.json
check 'a stored plan' "$cornerturn" tune small.json "${mine[@]}" -o stored.json --only out
check 'is taken' has 'the stored plan ' "$cornerturn" run small.json "${mine[@]}"
echo 'another end' >>half.so
check 'a plan is refused' says 3 "$changed" "$cornerturn" run pipeline.json "${mine[@]}" --plan plan.json
check 'so is a stored one' has 'a stored plan is not used: .*its files have changed since \(half\.so\)' \
    "$cornerturn" run small.json "${mine[@]}"
check 'nothing is written to it' says 3 'half.so: expected a file that nothing else uses' \
    "$cornerturn" explain pipeline.json "${mine[@]}" --plan default --save half.so

# ---- new-stage, in an empty folder, by what it says itself

# new_stage_works [--c]: types what it prints
new_stage_works()
{
    rm -rf empty && mkdir empty && (
        cd empty && PATH=$work/prefix/bin:$PATH && cornerturn new-stage loud "$@" >said || exit 1
        cat said
        sed -n '/^next:/,$s/^    //p' said | sed "s/ verify .*/& ${few[*]}/" >next
        [ "$(wc -l <next)" -ge 2 ] && bash -euo pipefail ./next && [ -s loud/out.npy ]
    )
}
check 'new-stage: a page of JSON that verifies and runs' new_stage_works
cp empty/loud/out.npy page.npy
"$cornerturn" source empty/loud/try.json >page.cl
check 'new-stage --c: a shared library that verifies and runs' new_stage_works --c
check 'both forms give the same' cmp empty/loud/out.npy page.npy
"$cornerturn" source empty/loud/try.json --library empty/loud/build/loud.so >plugin.cl
check 'both forms have the same source' cmp page.cl plugin.cl
check 'which has the kernel' grep -q 'make_loud' page.cl

# ---- programs

# programs_run COMPILER...: one that runs the pipeline, built without a warning
programs_run()
{
    # shellcheck disable=SC2046,SC2086
    "$@" -Wall -Wextra -Werror $sanitizer $(pkg-config --cflags cornerturn) plugin/own.c -x none -o own \
        $(pkg-config --libs cornerturn) -ldl &&
        sed 's/my\.fir/fir/' pipeline.json >one.json &&
        LD_LIBRARY_PATH=$lib ./own ./built/half.so one.json >said &&
        { cat said; printf 'loaded: 1\nwrote out.npy\nwrote out.npy.json\nloaded: 0\n' | diff - <(sed 's|wrote .*/|wrote |' said); } &&
        cmp out.npy mine.npy
}
check 'a C program' programs_run cc -std=c11 -x c
command -v c++ >/dev/null && check 'a C++ program' programs_run c++ -std=c++11 -x c++

# ---- libraries that cannot be used

# bad MISTAKE: makes MISTAKE.so
# shellcheck disable=SC2046,SC2086
bad()
{
    cc $sanitizer -shared -fPIC -fvisibility=hidden $(pkg-config --cflags cornerturn) "-D$1" \
        plugin/bad.c -o "$1.so"
}
for mistake in LACKING OTHER EMPTY TAKEN WRONG GOOD; do
    check "$mistake.so" bad $mistake
done
mkdir folder.so
echo 'no library' >text.so
refused() { check "$1" says "$2" "$3" "$cornerturn" validate pipeline.json --library "$4"; }
refused 'no such file' 5 'none.so: cannot be read: No such file' none.so
refused 'a folder' 5 'folder.so: expected a shared library, found no file' folder.so
refused 'no library' 5 'text.so: expected a shared library; the loader says: ' text.so
refused 'no ct_plugin' 3 'LACKING.so: a shared library, but it has no function ct_plugin' LACKING.so
refused 'of another version' 3 'OTHER.so: its ct_plugin gives NULL' OTHER.so
refused 'no stage' 3 'EMPTY.so: its ct_plugin gives an empty list' EMPTY.so
refused 'a name that is taken' 3 'TAKEN.so: there is a stage "fir" already' TAKEN.so
refused 'a wrong descriptor' 3 'WRONG.so: stage my.wrong: port X: dims "SPT[C": column 4' WRONG.so
check 'a library twice' has my.good "$cornerturn" info stages --library GOOD.so --library ./GOOD.so
cp GOOD.so COPY.so
check 'its copy' says 3 'COPY.so: there is a stage "my.good" already' \
    "$cornerturn" info stages --library GOOD.so --library COPY.so
# shellcheck disable=SC2046,SC2086
copy_inside()
{
    cc $sanitizer -shared -fPIC -Iplugin -Iembedded $(pkg-config --static --cflags cornerturn) plugin/half.c -o INSIDE.so \
        $(pkg-config --static --libs cornerturn | sed 's/-lcornerturn/-l:libcornerturn.a/')
}
mkdir embedded
cp "$(find built -name half_cl.h)" embedded
check 'a plug-in with a library inside' copy_inside
refused 'another copy of the library' 3 'INSIDE.so: it brings another copy of libcornerturn' INSIDE.so

[ "$failed" -eq 0 ] && echo 'all as expected'
[ "$failed" -eq 0 ]
