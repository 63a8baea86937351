#!/usr/bin/env bash
# test.sh [--all] [ctest's arguments]: installs what is missing, builds, and tests. Without --all it leaves out the
# tests with the label exhaustive, each of which tries many more cases of what a shorter one tries, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

which=(-LE exhaustive)
if [ "${1:-}" = --all ]; then
    shift
    which=(-LE few) # each of these is there a second time with all its cases
    setup_say 'every test: about 27 minutes on two cores the first time'
else
    setup_say 'a test of every behaviour: about 8 minutes on two cores (27 with --all: every test)'
fi
setup_install libcmocka-dev
if [ "${which[1]}" = few ]; then
    setup_add openmpi-bin libopenmpi-dev # tests/ranks: the module that calls MPI is built where CMake finds it
    setup_add oclgrind clang python3-h5py # tests/gpu, tests/io/uvh5_test.sh
    command -v c++ >/dev/null || setup_add g++ # the headers are for C++, too
    setup_add casacore-dev python3-casacore # tests/io/ms_test.sh: the module that calls casacore, and a reader
fi
setup_build CT_TESTS=ON ${CT_WERROR:+CT_WERROR=$CT_WERROR}
export POCL_AFFINITY=1
exec ctest --test-dir build --output-on-failure -j "$(setup_jobs)" "${which[@]}" "$@"
