#!/usr/bin/env bash
# test.sh [--ci|--all] [ctest's arguments]: installs what is missing, builds, and tests. Without --ci it leaves out the
# tests with the label long, and without --all those with the label exhaustive, each of which tries many more cases of
# what a shorter one tries, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

extent=short minutes=8 which='exhaustive|long'
case ${1:-} in
--ci) extent=ci minutes=20 which='exhaustive|brief' ;; # the brief ones are parts of long ones
--all) extent=all minutes=28 which=few ;; # each of these is there a second time with all its cases
esac
[ "$extent" = short ] || shift
setup_say "tests: about $minutes minutes on two cores the first time"
setup_install libcmocka-dev
if [ "$extent" != short ]; then
    setup_add openmpi-bin libopenmpi-dev # tests/ranks: the module that calls MPI is built where CMake finds it
    setup_add oclgrind liboclgrind-dev llvm-14-dev clang python3-h5py python3-astropy # tests/gpu, tests/io
    command -v c++ >/dev/null || setup_add g++ # the headers are for C++, too
    setup_add casacore-dev python3-casacore # tests/io/ms_test.sh: the module that calls casacore, and a reader
fi
setup_build CT_TESTS=ON ${CT_WERROR:+CT_WERROR=$CT_WERROR}
export POCL_AFFINITY=1
exec ctest --test-dir build --output-on-failure -j "$(setup_jobs)" -LE "$which" "$@"
