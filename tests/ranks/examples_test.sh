#!/usr/bin/env bash
# examples_test.sh BUILD [EXAMPLE...]: the examples, or these of them, on 2, 3, 4 and 7 ranks: every file that is
# written is byte for byte what one process writes. RANKS says on how many ranks ("2 3 4 7"). Skipped without mpirun.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
shift
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"
cornerturn=${CORNERTURN:-$build/cornerturn}
cp -r "$root/examples" . && cd examples || exit 1
rm -rf data && mkdir data
files=0

# make FILE: what an example reads
make()
{
    [ ! -e "data/$1" ] || return 0
    case $1 in
    voltages.npy) "$cornerturn" run observation.json --quiet ;;
    pulse.fil) "$cornerturn" simulate "data/$1" duration_s=3 channels=128 frequency_hz=350e6 bandwidth_hz=64e6 'pulses=[{"dm": 42, "time_s": 1.2, "width_s": 0.002, "amplitude": 1}]' >/dev/null ;;
    station.udp) "$cornerturn" simulate "data/$1" stations=1 samples=32768 'tones=[{"frequency_hz": 20000, "amplitude": 0.5}]' >/dev/null ;;
    night_S???_L?.udp) "$cornerturn" simulate data/night.udp --observation night.json --subbands 8 --lanes 4 --seconds 1.4 --lost 0.001 sb=100 start_mjd=60000.5 'sources=[{"ra_deg": 350.85, "dec_deg": 58.815, "amplitude": 0.3}]' 'pulses=[{"dm": 12, "time_s": 0.5, "width_s": 0.002, "amplitude": 0.5, "ra_deg": 352.4, "dec_deg": 58.2}]' >/dev/null ;;
    lane_?.udp) "$cornerturn" simulate "data/$1" stations=1 samples=32768 sb=$((256 + ${1:5:1})) >/dev/null ;;
    esac || fail "making $1"
}

# The plug-in of stages/bandpass.
plug_in()
{
    cmake -DINPUT=stages/bandpass/bandpass.cl -DOUTPUT=bandpass_cl.h -DNAME=bandpass_cl -P "$root/cmake/embed.cmake" &&
        ${CC:-cc} -O2 -fPIC -fvisibility=hidden -shared -I. -I"$root/include" -o bandpass.so stages/bandpass/bandpass.c -L"$build" -lcornerturn
}

# written_by FOLDER COMMAND..: the files that it has written are then in the folder
written_by()
{
    local folder=$1
    shift
    rm -rf "../$folder" && mkdir "../$folder"
    touch ../before && sleep 0.01
    timeout 300 "$@" --quiet 2>../err || return
    find . -type f -newer ../before -exec mv -t "../$folder" {} +
}

try()
{
    local file n example=$1 library=()
    [[ $example != stages/bandpass/* ]] || library=(--library bandpass.so)
    [ ${#library[@]} -eq 0 ] || [ -e bandpass.so ] || plug_in || { fail "the plug-in of $example"; return; }
    for file in $(grep -oE '"data/(voltages\.npy|pulse\.fil|station\.udp|lane_[0-9]\.udp|night_S[0-9]*_L[0-9]\.udp)' "$example" | cut -d/ -f2); do make "$file"; done
    written_by one "$cornerturn" run "$example" "${library[@]}" || { fail "$example: $(cat ../err)"; return; }
    [ -n "$(ls ../one)" ] || fail "$example writes nothing"
    files=$((files + $(ls ../one | wc -l)))
    for n in ${RANKS:-2 3 4 7}; do
        written_by out mpirun --oversubscribe --bind-to none -n "$n" "$cornerturn" run "$example" "${library[@]}" || fail "$example, $n ranks: $(cat ../err)"
        diff -rq ../one ../out || fail "$example, $n ranks"
    done
    # What others read stays.
    case $example in observation.json) cp ../one/* data/ ;; stages/bandpass/measure.json) cp ../one/* stages/bandpass/ ;; esac
}

# embed.json needs a program; divide.json what measure.json has found.
all=(observation.json pipeline1.json pipeline2.json lofar.json beamlets.json survey.json search.json station.json fil.json flag.json
    visibilities.json night.json stages/{average,bandpass,boxcar,requantise,rfi}/try.json stages/bandpass/{measure,divide}.json)
[ $# -gt 0 ] || set -- "${all[@]}"
for example; do try "$example"; done
echo "$# examples, $files files, on ${RANKS:-2 3 4 7} ranks: $failed failed"
[ "$failed" -eq 0 ]
