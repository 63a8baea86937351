#!/usr/bin/env bash
# package_test.sh BUILD: what cpack makes: the fields of the .deb packages, what is in them and in the .tar.gz, and that both
# run a pipeline where they are unpacked. (tests/install/chroot.sh installs them on bare systems.)
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=$(cd "$1" && pwd)
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
    command -v $tool >/dev/null || { echo "needs $tool"; exit 77; }
done
grep -q '^CMAKE_C_FLAGS:.*-fsanitize=' "$build/CMakeCache.txt" && { echo 'needs a build without sanitizers'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail()
{
    failed=$((failed + 1))
    echo "failed: $*"
}

(cd "$build" && cpack -B "$work/made") >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
version=$("$CORNERTURN" --version | sed 's/^cornerturn //')
deb=$(find "$work/made" -maxdepth 1 -name 'cornerturn_*.deb') tar=$(find "$work/made" -maxdepth 1 -name '*.tar.gz')
[ -f "$deb" ] && [ -f "$tar" ] || { fail "expected one .deb of each name and one .tar.gz"; ls "$work/made"; exit 1; }

# field NAME PATTERN [DEB]: the control field is there, and as it has to be.
field()
{
    local value
    value=$(dpkg-deb -f "${3:-$deb}" "$1")
    [[ "$value" =~ $2 ]] || fail "${3:-$deb}: $1 is \"$value\", expected $2"
}
field Package '^cornerturn$'
field Version "^${version//./\\.}-1~"
field Architecture "^$(dpkg --print-architecture)\$"
field Maintainer '<.*@.*>'
field Section '^science$'
field Recommends 'pocl-opencl-icd \| opencl-icd'
field Suggests 'cornerturn-mpi'
# Every library that programs need is of a package that Depends names, and of none that only modules need.
field Depends '(^|, )libc6 \(>= '
field Depends 'libjansson4' # whose names are the same on Debian 12 and 13
field Depends 'libopencl'
[[ "$(dpkg-deb -f "$deb" Depends)" =~ mpi|casa ]] && fail "Depends has what only modules need: $(dpkg-deb -f "$deb" Depends)"
for module in mpi casacore; do
    [ -f "$build/libcornerturn_$module.so" ] || continue
    one=$(find "$work/made" -maxdepth 1 -name "cornerturn-${module}_*.deb")
    [ -f "$one" ] || { fail "no package cornerturn-$module"; continue; }
    field Depends "cornerturn \(= ${version//./\\.}-1~.*lib(openmpi|mpich|casa)" "$one"
    dpkg-deb -c "$one" | grep -q "usr/lib/.*libcornerturn_$module\.so" || fail "$one lacks its module"
done

dpkg-deb -x "$deb" "$work/deb"
mkdir "$work/tar" && tar -xzf "$tar" -C "$work/tar" --strip-components=1
for root in "$work/deb/usr" "$work/tar"; do
    for one in bin/cornerturn include/cornerturn.h include/cornerturn_stage.h include/cornerturn_tune.h \
        include/cornerturn_ranks.h lib/libcornerturn.so.0 lib/libcornerturn.so lib/libcornerturn.a \
        lib/pkgconfig/cornerturn.pc lib/cmake/cornerturn/cornerturn-config.cmake share/man/man1/cornerturn.1 \
        share/doc/cornerturn/README.md share/doc/cornerturn/LICENSE share/doc/cornerturn/docs/first-pipeline.md \
        share/doc/cornerturn/examples/lofar.json; do
        find "$root" -path "$root/${one/#lib\//lib*}" | grep -q . || fail "$root lacks $one"
    done
    grep -rlI -e _CPack_Packages -e "$build" "$root" | sed 's/^/failed: a folder of the build in /' | grep . && failed=1
    ! readelf -d "$root/bin/cornerturn" | grep -i 'r.*path' | grep -vF '[$ORIGIN/' | grep . || fail 'a run path of the build'

    mkdir -p "$work/here/data" && cp "$root"/share/doc/cornerturn/examples/*.json "$work/here"
    out=$("$root/bin/cornerturn" --version) && [ "$out" = "cornerturn $version" ] || fail "$root: --version says $out"
    "$root/bin/cornerturn" run "$work/here/flag.json" >"$work/log" 2>&1 || { fail "$root: run"; cat "$work/log"; }
    [ -s "$work/here/data/flagged.npy" ] || fail "$root: run wrote nothing"
    rm -r "$work/here"
done
[ "$failed" -eq 0 ]
