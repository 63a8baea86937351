#!/usr/bin/env bash
# example_data.sh COMMAND: makes what the pipelines of examples/ read, in data/ of the current folder, a copy of examples/,
# with this command (.../build/cornerturn).
set -euo pipefail
command=$1
mkdir -p data
"$command" run observation.json --quiet
"$command" simulate data/pulse.fil duration_s=3 channels=128 frequency_hz=350e6 bandwidth_hz=64e6 'pulses=[{"dm": 42, "time_s": 1.2, "width_s": 0.002, "amplitude": 1}]' >/dev/null
"$command" simulate data/station.udp stations=1 samples=32768 'tones=[{"frequency_hz": 20000, "amplitude": 0.5}]' >/dev/null
for lane in 0 1 2 3; do
    "$command" simulate "data/lane_$lane.udp" stations=1 samples=32768 sb=$((256 + lane)) >/dev/null
done
"$command" simulate data/night.udp --observation night.json --subbands 8 --lanes 4 --seconds 3.1 --lost 0.001 sb=100 start_mjd=60000.5 \
    'sources=[{"ra_deg": 350.85, "dec_deg": 58.815, "amplitude": 0.3}]' \
    'pulsar={"dm": 12, "period_s": 0.7, "time_s": 0.35, "width_s": 0.002, "amplitude": 0.25, "ra_deg": 352.4, "dec_deg": 58.2}' \
    'tones=[{"frequency_hz": 250000, "amplitude": 0.5, "az": 200, "el": 2}]' >/dev/null
