#!/usr/bin/env bash
# setup_test.sh BUILD: who is not root learns which packages are missing and how to install them;
# with EXHAUSTIVE=1: the demonstration finds its pulse; a second run builds nothing.
set -uo pipefail
root=$(pwd) build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail()
{
    failed=$((failed + 1))
    echo "failed: $1"
    tail -n 8 "$work/log"
}

# A machine on which no package is installed and nobody is root.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/apt-get"
chmod +x "$work"/bin/*
PATH=$work/bin:$PATH scripts/test.sh >"$work/log" 2>&1
[ $? -eq 1 ] || fail 'exit 1 where packages are missing'
grep -q 'sudo apt-get install .*libfftw3-dev .*libcmocka-dev' \
    <(sed 's/.*&& sudo/sudo/' "$work/log") || fail 'the command to be run is named'

# What tests can do without is installed where apt knows it, and never asked for.
printf '#!/bin/sh\n[ "$2" = some-tool ]\n' >"$work/bin/apt-cache"
printf '#!/bin/sh\necho apt-get "$@" >>%s\n' "$work/apt" >"$work/bin/apt-get"
chmod +x "$work/bin/apt-cache"
add() { (cd "$work" && PATH=$work/bin:$PATH bash -c ". $root/scripts/setup.sh; setup_add some-tool other-tool") >"$work/log" 2>&1; }
add && [ ! -e "$work/apt" ] || fail 'only root installs'
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
add && grep -q 'install .* some-tool$' "$work/apt" || fail 'what apt knows is installed'
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"
add && grep -q 'without some-tool' "$work/log" || fail 'and what cannot be had is left out'

# Who waits for packages sees how far they are; and README and CONTRIBUTING name them all.
printf '#!/bin/sh\n[ "$1" = install ] || exit 0\nprintf "dlstatus:1:3.5:x\\ndlstatus:1:41.2:y\\npmstatus:libpython3.11:99.0:z\\n" >&3\n' >"$work/bin/apt-get"
install() { (cd "$work" && PATH=$work/bin:$PATH bash -euo pipefail -c ". $root/scripts/setup.sh; $1") >"$work/log" 2>&1; }
install setup_install && [ "$(grep -c '^   ' "$work/log")" -eq 3 ] && grep -qx '   downloaded 40 %' "$work/log" &&
    grep -qx '   installed 80 %' "$work/log" || fail 'how far an installation is'
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"
install setup_install && fail 'apt-get fails'
install 'setup_missing libcmocka-dev'
for package in $(cat "$work/log") gcc make cmake pkg-config pocl-opencl-icd; do
    for page in README.md CONTRIBUTING.md; do
        grep -qw -- "$package" "$page" || fail "$page does not name $package"
    done
done

if [ -z "${EXHAUSTIVE:-}" ] || [ "$build" != "$root/build" ]; then
    [ "$failed" -eq 0 ]
    exit
fi
scripts/demo.sh >"$work/log" 2>&1 || fail 'the demonstration'
scripts/demo.sh >"$work/log" 2>&1 || fail 'the demonstration, again'
grep -E '^== (installing|configuring)|Building|Linking' "$work/log" >"$work/again" &&
    fail 'a second run builds nothing'
[ -s build/demo/data/found.svg ] || fail 'a picture'
[ "$failed" -eq 0 ] && echo 'all as expected'
[ "$failed" -eq 0 ]
