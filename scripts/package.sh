#!/usr/bin/env bash
# package.sh [FOLDER]: packages for the system that it runs on: installs what is missing, builds, and packs .deb and .tar.gz
# into FOLDER, build/packages if it is not given. tests/install/chroot.sh tries them on bare systems.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/setup.sh

setup_install dpkg-dev file
setup_is_configured || setup_has_package libcmocka-dev || set -- "${1:-}" CT_TESTS=OFF
setup_build "${@:2}"
to=${1:-build/packages}
mkdir -p "$to"
to=$(cd "$to" && pwd)
setup_say 'packing'
log=$(cmake build 2>&1) || setup_fail "$log" $'\n'"cmake failed" # finds dpkg-shlibdeps if it has come since
cd build
log=$(cpack -B "$to" 2>&1) || setup_fail "$log" $'\n'"cpack failed"
rm -rf "$to/_CPack_Packages"
grep -o "package: .* generated" <<<"$log" | sed 's/package: \(.*\) generated/\1/'
