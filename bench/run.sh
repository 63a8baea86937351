#!/usr/bin/env bash
# run.sh: regenerates bench/results/TABLE.md and TABLE.json: stages in every layout, the device's limits and the
# peers, all in interleaved rounds; then the size's odd twin in the preferred layouts, TABLE-odd.json. On a quiet machine;
# more than a quarter of an hour on two cores.
#
# The peers are built for the size thesis: with another --size they are left out. Rounds are 5, and 5 seconds per stage
# look for better tunables. --no-layouts: the preferred layouts alone, in ten minutes.
#
#   bench/run.sh [--output FILE] [--no-peers] [--no-layouts] [arguments of cornerturn bench]
#   bench/run.sh --output bench/results/GPU.md --no-peers --device NVIDIA --size ska-low
set -euo pipefail
cd "$(dirname "$0")/.."

output=bench/results/TABLE.md
peers=yes
layouts=(--layouts)
size=thesis
rounds=5
budget=5
arguments=() asked="$*"
while [ $# -gt 0 ]; do
    case $1 in
        --output) output=$2; shift 2 ;;
        --no-peers) peers=no; shift ;;
        --no-layouts) layouts=(); shift ;;
        --size) size=$2; shift 2 ;;
        --rounds) rounds=$2; shift 2 ;;
        --budget) budget=$2; shift 2 ;;
        *) arguments+=("$1"); shift ;;
    esac
done

[ "$size" = thesis ] || peers=no
arguments+=(--rounds "$rounds")
common=("${arguments[@]}")
arguments+=(--size "$size" --budget "$budget")
build='build-bench'
options=(-DCMAKE_BUILD_TYPE=Release -DCT_TESTS=OFF)
[ "$peers" = yes ] && options+=(-DCT_PEERS=ON)
cmake -S . -B "$build" "${options[@]}" >/dev/null
cmake --build "$build" --parallel >/dev/null

# Which peer is compared with which stage.
if [ "$peers" = yes ]; then
    at=$build/bench/peers
    for pair in \
        "fir=$at/peer-fir fir" "fir=$at/peer-fir fir-wide" "fir=$at/peer-copy nt-copy" \
        "fft=$at/peer-fft fftw" "fft=$at/peer-fft fftw-transposed" \
        "beamformer=$at/peer-blas cgemm" "beamformer=$at/peer-blas cgemm-avx512" \
        "correlator=$at/peer-blas cherk" "correlator=$at/peer-blas cherk-avx512" \
        "dedisp-apertif=$at/peer-dedisp dedisp-apertif" \
        "dedisp-apertif=$at/peer-dedisp dedisp-apertif-blocked" \
        "dedisp-lofar=$at/peer-dedisp dedisp-lofar" \
        "dedisp-lofar=$at/peer-dedisp dedisp-lofar-blocked" \
        "transpose=$at/peer-copy memcpy --size 201326592" \
        "transpose=$at/peer-copy nt-copy --size 201326592"; do
        [[ $pair != *-avx512 ]] || grep -qw avx512f /proc/cpuinfo || continue
        arguments+=(--peer "$pair")
    done
fi

# The fields of lscpu and /proc that speed depends on.
machine() {
    lscpu | sed -nE 's/^ *(Architecture|Model name|CPU\(s\)|Thread\(s\) per core|L1d|L2|L3)( cache)?: *(.*)/- \1: \3/p'
    lscpu | grep -oE 'avx2|avx512f|avx512_vnni|avx_vnni|asimd|sve' | sort -u | paste -sd' ' | sed 's/^/- Vectors: /'
    awk '/MemTotal/ { printf "- Memory: %.0f GiB\n", $2 / 1048576 }' /proc/meminfo
    sed -nE 's/^PRETTY_NAME="(.*)"/- System: \1/p' /etc/os-release
    echo "- Kernel: $(uname -r)"
}

part=$output.part
trap 'rm -f "$part"' EXIT
mkdir -p "$(dirname "$output")"
{
    printf '# Measured speed\n\nMade by `bench/run.sh`'
    [ -n "$asked" ] && printf ' with `%s`' "$asked"
    printf '.\nTimes are medians of interleaved rounds; shares and ratios are medians of the ratios within a\n'
    printf 'round: they hold where the whole machine is slower for a while. A copy may be faster for a\n'
    printf 'while than arithmetic is, by up to a factor of two: shares of it are no more exact.\n\n'
    machine
    echo
    POCL_AFFINITY=1 "$build/cornerturn" bench "${layouts[@]}" "${arguments[@]}" --json "${output%.md}.json"
    if [[ $size != *-odd ]]; then
        printf '\n# Odd counts\n\nEach count of the stages above that is free is the nearest odd number here, without common factors\n'
        printf '(bench/README.md).\n\n'
        POCL_AFFINITY=1 "$build/cornerturn" bench "${common[@]}" --size "$size-odd" --budget 0 --json "${output%.md}-odd.json"
    fi
} >"$part"
if grep ' WRONG ' "$part" >&2; then
    echo 'run.sh: a stage gave other results with other tunables: nothing is written' >&2
    exit 1
fi
mv "$part" "$output"
echo "wrote $output"
