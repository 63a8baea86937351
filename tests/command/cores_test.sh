#!/usr/bin/env bash
# cores_test.sh: the command has PoCL pin its threads where it may use all cores, and use as many as it may where
# these are some, unless the user has said otherwise. What it does to its environment is told by a library that is loaded with it.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/../shared/check.sh"
failed=0
cat >"$work/told.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((destructor)) static void told(void)
{
    const char *pinned = getenv("POCL_AFFINITY"), *threads = getenv("POCL_MAX_PTHREAD_COUNT");
    printf("told %s %s\n", pinned ? pinned : "nothing", threads ? threads : "nothing");
}
C
cc -shared -fPIC -o "$work/told.so" "$work/told.c" || exit 1
cd "$work" || exit 1
unset POCL_AFFINITY POCL_MAX_PTHREAD_COUNT POCL_CPU_MAX_CU_COUNT
# tells WHAT COMMAND..: what the command leaves.
tells() { "${@:2}" env LD_PRELOAD="$work/told.so" "$CORNERTURN" --version | grep -qx "told $1"; }
whole="nothing $(nproc)"
[ "$(nproc)" != "$(getconf _NPROCESSORS_CONF)" ] || whole="1 nothing"
check 'all cores' tells "$whole"
check 'the user says no' tells '0 nothing' env POCL_AFFINITY=0
check 'a number of threads' tells 'nothing 1' env POCL_MAX_PTHREAD_COUNT=1
check 'a number of units' tells 'nothing nothing' env POCL_CPU_MAX_CU_COUNT=1
[ "$(getconf _NPROCESSORS_CONF)" = 1 ] || check 'one core of several' tells 'nothing 1' taskset -c 0
exit $((failed > 0))
