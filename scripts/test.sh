#!/usr/bin/env bash
# test.sh: installs what is missing, builds, and runs every test. Arguments go to ctest.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

setup_install libcmocka-dev
setup_add oclgrind clang python3-h5py # tests/gpu/gpu_test.sh, tests/io/uvh5_test.sh
setup_add openmpi-bin libopenmpi-dev # tests/ranks: the module that calls MPI is built where CMake finds it
command -v c++ >/dev/null || setup_add g++ # the headers are for C++, too
setup_build CT_TESTS=ON ${CT_WERROR:+CT_WERROR=$CT_WERROR}
export POCL_AFFINITY=1
exec ctest --test-dir build --output-on-failure -j "$(setup_jobs)" "$@"
