# ranks.sh BUILD: what tests with ranks begin with. Skips where mpirun, or the build's module for it, is missing; then a
# folder of its own (check.sh), with what ranks of one machine need to run beside each other.
. "$(dirname "${BASH_SOURCE[0]}")/../shared/check.sh"
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun here"; exit 77; }
[ -f "$1/libcornerturn_mpi.so" ] || { echo "skipped: this build is without MPI"; exit 77; }
in_a_folder
# Ranks that were all bound to the first core would share it.
export POCL_AFFINITY=0 POCL_MAX_PTHREAD_COUNT=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
# Open MPI keeps memory in modules that are gone when the sanitizer looks for it.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"

# ranks N COMMAND..: as so many ranks
ranks() { local n=$1; shift; timeout 120 mpirun --oversubscribe -n "$n" "$@"; }
