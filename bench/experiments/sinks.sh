#!/usr/bin/env bash
# sinks.sh FOLDER..: how 2 and 4 ranks best write one file into each of these folders: gathered by rank 0,
# each rank its part, or by MPI-IO (bench/bench_sinks.c), for runs of several lengths. BUILD says where the build is
# (build), ROUNDS how often each is measured (5), LEAST the shortest run, bytes (64).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ $# -gt 0 ] || { echo "sinks.sh: expected folders to write into" >&2; exit 2; }
[ -x "$build/bench.sinks" ] || { echo "sinks.sh: $build/bench.sinks is not there: cmake --build $build --target bench.sinks" >&2; exit 2; }
for folder; do
    for n in ${RANKS:-2 4}; do
        echo "$n ranks, $(stat -f -c %T "$folder")"
        mpirun --oversubscribe --bind-to none -n "$n" "$build/bench.sinks" "$folder" --rounds "${ROUNDS:-5}" --blocks 2 --least "${LEAST:-64}"
    done
done
