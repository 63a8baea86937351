#!/usr/bin/env bash
# survey.sh: where the time of a LOFAR survey goes: 2000 channels, 64 trials, 100,000 samples of one beam,
# dedispersed and searched for pulses. On a quiet machine.
#
#   bench/survey.sh [--runs N] [FOLDER]
#
# Makes the observation in FOLDER (200 MB; build/survey) where it is not there yet, runs once so that
# kernels are built, then N times (5), and prints a line a run: ms of dedispersion, of stage pulses and
# of sink.candidates in all blocks, the percentage of all steps' time that the last two take, and that
# without reading the file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
runs=5 folder=build/survey
while [ $# -gt 0 ]; do
    case $1 in
        --runs) runs=${2:?how many?}; shift 2 ;;
        *) folder=$1; shift ;;
    esac
done
cornerturn=${CORNERTURN:-build/cornerturn}
mkdir -p "$folder"
[ -s "$folder/sky.fil" ] || "$cornerturn" simulate "$folder/sky.fil" channels=2000 samples=100000 \
    sample_time_s=1e-3 frequency_hz=150e6 bandwidth_hz=24e6 \
    'pulses=[{"dm": 8, "time_s": 40, "width_s": 0.004, "amplitude": 0.5}]' >/dev/null
cat >"$folder/survey.json" <<'PIPELINE'
{ "cornerturn": 1,
  "nodes": {
    "sky": { "stage": "source.sigproc", "file": "sky.fil" },
    "dd": { "stage": "dedisp", "input": "sky", "dm": { "start": 0, "step": 0.25, "count": 64 } },
    "pulses": { "stage": "pulses", "input": "dd" },
    "found": { "stage": "sink.candidates", "input": "pulses", "file": "found.json", "csv": "found.csv",
               "picture": "found.svg" } } }
PIPELINE
"$cornerturn" run "$folder/survey.json" >/dev/null
printf '| dedisp, ms | pulses, ms | sink.candidates, ms | share, %% | without reading, %% |\n|---:|---:|---:|---:|---:|\n'
for ((run = 0; run < runs; run++)); do
    "$cornerturn" run "$folder/survey.json" --trace | awk '
        $3 ~ /^[0-9]+$/ && NF >= 5 { ms[$1] = $3 * $4; all += $3 * $4 }
        END { mine = ms["pulses"] + ms["found"]
              printf "| %.1f | %.1f | %.1f | %.1f | %.1f |\n", ms["dd"], ms["pulses"], ms["found"],
                     100 * mine / all, 100 * mine / (all - ms["sky"]) }'
done
