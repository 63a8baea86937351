#!/usr/bin/env bash
# chroot.sh [RELEASE...]: packages on bare systems, for root by hand: for each release of Debian (bookworm trixie: 12 and 13)
# builds packages in a chroot of its own, then, in a second one that has nothing else, installs the .deb without OpenCL, adds
# what it recommends, finds the demo's pulse, and runs the .tar.gz. Some 10 minutes and 3 GB each; needs debootstrap.
#
#   CHROOTS=FOLDER   where chroots and packages are left; /var/tmp/cornerturn-chroots
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
roots=${CHROOTS:-/var/tmp/cornerturn-chroots}
[ "$(id -u)" -eq 0 ] && command -v debootstrap >/dev/null || { echo "needs root and debootstrap" >&2; exit 1; }
[ $# -gt 0 ] || set -- bookworm trixie
mkdir -p "$roots"

# inside ROOT COMMAND: its mounts end with the command.
inside()
{
    unshare --mount --pid --fork bash -euc '
        mount --bind /dev "$0/dev"
        mount -t devpts devpts "$0/dev/pts"
        mount --bind /sys "$0/sys"
        mount -t proc proc "$0/proc"
        exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
            POCL_AFFINITY=1 bash -euc "$1"' "$1" "$2"
}

# fresh RELEASE NAME: a copy of the bare system
fresh()
{
    [ -f "$roots/$1/etc/debian_version" ] || debootstrap --variant=minbase "$1" "$roots/$1"
    rm -rf "${roots:?}/$2"
    cp -a "$roots/$1" "$roots/$2"
    cp /etc/resolv.conf "$roots/$2/etc/"
}

build()
{
    fresh "$1" "$1-build"
    mkdir "$roots/$1-build/tree"
    git ls-files -z | tar -c --null -T - | tar -x -C "$roots/$1-build/tree"
    inside "$roots/$1-build" 'cd /tree && scripts/package.sh /packages'
}

# What is tried in a bare system, by its own shell.
# shellcheck disable=SC2016
try='
apt-get update -qq
apt-get install -y -qq --no-install-recommends /packages/cornerturn_*.deb >/dev/null
cornerturn --version
cp -r /usr/share/doc/cornerturn/examples /root/try && mkdir -p /root/try/data && cd /root/try
status=0
cornerturn run observation.json 2>/tmp/said || status=$?
cat /tmp/said
[ $status -eq 4 ] || { echo "without a platform: expected exit code 4, found $status"; exit 1; }
apt-get install -y -qq --no-install-recommends pocl-opencl-icd >/dev/null
cornerturn info devices
cornerturn run observation.json
cornerturn run lofar.json
head -n 2 data/found.csv
awk -F, "NR == 2 { exit !(\$1 >= 78 && \$1 <= 82 && \$6 == 12) }" data/found.csv
[ -s data/found.svg ] && [ -s data/visibilities.npy ]

dpkg -r cornerturn >/dev/null
[ ! -e /usr/bin/cornerturn ]
mkdir /opt/ct && tar -xzf /packages/cornerturn-*.tar.gz -C /opt/ct --strip-components=1
/opt/ct/bin/cornerturn run flag.json
[ -s data/flagged.npy ]
'

for release; do
    echo "== $release: building packages"
    build "$release"
    echo "== $release: a bare system"
    fresh "$release" "$release-bare"
    rm -rf "$roots/$release-packages"
    cp -r "$roots/$release-build/packages" "$roots/$release-packages"
    cp -r "$roots/$release-packages" "$roots/$release-bare/packages"
    inside "$roots/$release-bare" "$try"
    echo "== $release: installed, and found the pulse"
done
