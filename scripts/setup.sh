# setup.sh: what demo.sh and test.sh share: installs what is missing, builds into build/.
# Sourced, from the source tree's root. On a bare Debian 12 it needs git and bash only; where all
# is there already it installs and rebuilds nothing.
#
#   setup_install [PACKAGE...]   apt packages that the build and the run need, and those named
#   setup_add PACKAGE...         those that tests can do without: for root, where apt knows them
#   setup_build [NAME=VALUE...]   CMake options that build/ must have; others stay as they are

setup_say() { printf '== %s\n' "$*"; }

setup_fail()
{
    printf '%s\n' "$*" >&2
    exit 1
}

setup_jobs() { nproc 2>/dev/null || echo 2; }

# An OpenCL platform of any maker serves; PoCL is installed where there is none.
setup_has_platform() { compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null; }

setup_has_package()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

setup_missing()
{
    command -v cc >/dev/null || echo gcc
    command -v make >/dev/null || command -v ninja >/dev/null || echo make
    command -v cmake >/dev/null || echo cmake
    command -v pkg-config >/dev/null || echo pkg-config
    setup_has_platform || echo pocl-opencl-icd
    local package
    for package in libc6-dev ocl-icd-opencl-dev libfftw3-dev libclfft-dev libcfitsio-dev libzstd-dev libhdf5-dev libjansson-dev libmd-dev liberfa-dev "$@"; do
        setup_has_package "$package" || echo "$package"
    done
}

setup_install()
{
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
        setup_fail "this script installs with apt, which is not here; with a C compiler, CMake," \
            "pkg-config, OpenCL, FFTW (single precision), clFFT, CFITSIO, libzstd, HDF5, Jansson, libmd, ERFA and cmocka installed, run:" \
            "cmake -B build && cmake --build build && ctest --test-dir build"
    local missing
    mapfile -t missing < <(setup_missing "$@")
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ]; then
        setup_fail "packages are missing and only root can install them; run
    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}
and then this script again"
    fi
    export DEBIAN_FRONTEND=noninteractive
    setup_say "asking Debian's servers what there is"
    apt-get update -qq || setup_fail "apt-get update failed"
    setup_say "installing ${missing[*]}"
    setup_say "(and what they need: on a bare system 250 MB to download, 1 GB on the disk: some minutes)"
    apt-get install -y -qq --no-install-recommends -o APT::Status-Fd=3 "${missing[@]}" 3>&1 >/dev/null | setup_progress ||
        setup_fail "apt-get install ${missing[*]} failed"
}

# What apt says on its status descriptor, a line for each fifth: "dlstatus:1:40.5:..." and "pmstatus:gcc:40.5:...".
setup_progress()
{
    local kind rest step last=
    while IFS=: read -r kind rest; do
        case $kind in dlstatus) step=downloaded ;; pmstatus) step=installed ;; *) continue ;; esac
        [[ $rest =~ :([0-9]+)\.[0-9]+: ]] || continue
        step="   $step $((BASH_REMATCH[1] / 20 * 20)) %"
        [ "$step" = "$last" ] || printf '%s\n' "$step"
        last=$step
    done
}

setup_add()
{
    local package missing=()
    [ "$(id -u)" -eq 0 ] || return 0
    for package in "$@"; do
        command -v "$package" >/dev/null || setup_has_package "$package" ||
            ! apt-cache show "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    setup_say "installing ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
        >/dev/null 2>&1 || setup_say "without ${missing[*]}: not to be had"
    # CMake may have looked for them before.
    ! setup_is_configured || cmake build >/dev/null || setup_fail "cmake failed"
}

# Whether build/ is configured with NAME=VALUE already.
setup_is_set() { grep -q "^${1%%=*}:[A-Z]*=${1#*=}\$" build/CMakeCache.txt 2>/dev/null; }

# A configuration that failed leaves a cache behind, and nothing to build.
setup_is_configured() { [ -f build/build.ninja ] || [ -f build/Makefile ]; }

setup_configure()
{
    local option changed=() generator=()
    setup_is_configured || rm -rf build/CMakeCache.txt build/CMakeFiles
    for option in "$@"; do
        setup_is_set "$option" || changed+=("-D$option")
    done
    if ! setup_is_configured; then
        command -v ninja >/dev/null && generator=(-G Ninja)
        changed+=(-DCMAKE_BUILD_TYPE=Release)
    fi
    [ ${#changed[@]} -eq 0 ] && return 0
    setup_say "configuring build/"
    local log
    log=$(cmake -S . -B build "${generator[@]}" "${changed[@]}" 2>&1) ||
        setup_fail "$log" $'\n'"cmake failed"
}

setup_build()
{
    setup_configure "$@"
    setup_say "building (what is not built yet; all of it takes some minutes)"
    cmake --build build -j "$(setup_jobs)" || setup_fail "the build failed"
}
