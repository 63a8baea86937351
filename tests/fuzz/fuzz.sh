#!/usr/bin/env bash
# fuzz.sh: fuzzes each target, or those named, from its corpus.
#
#   tests/fuzz/fuzz.sh [TARGET...]        100,000 inputs each (RUNS=N), with libFuzzer and sanitizers
#   BUILD=build tests/fuzz/fuzz.sh ...    the targets of this build folder, whatever they are built with
#   SECONDS_EACH=1                        ends each target after so long
#   SEED=7                                other inputs; it is said
#
# No input may crash, leak, do what C does not define, or take more than 1 s of the processor or
# 64 MiB and four times its size. What one does is left in the build folder's found, and the exit code is 1.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=tests/fuzz
build=$(realpath -m "${BUILD:-build/fuzz}")
runs=${RUNS:-100000}
seed=${SEED:-$(date +%s)}
found=$build/found

if [ -z "${BUILD:-}" ]; then
    [ -f build/fuzz/CMakeCache.txt ] || cmake --preset fuzz >/dev/null || exit 1
    cmake --build --preset fuzz -j "$(nproc)" >/dev/null || exit 1
fi
libfuzzer=$(grep -c '^CT_FUZZER:BOOL=ON' "$build/CMakeCache.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
[ -w /dev/shm ] && TMPDIR=$(mktemp -d /dev/shm/ct_fuzz.XXXXXX) && trap 'rm -rf "$work" "$TMPDIR"' EXIT
# An allocation may fail as it may anywhere; the driver keeps what ended it, so it has to be told.
export ASAN_OPTIONS=allocator_may_return_null=1:abort_on_error=1:new_delete_type_mismatch=0
export LSAN_OPTIONS=suppressions=$PWD/tests/shared/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1

# options of TARGET: what either driver is told
options()
{
    [ -f "$here/$1.dict" ] && echo "-dict=$PWD/$here/$1.dict"
    if [ "$libfuzzer" = 1 ]; then
        echo "-runs=$runs -seed=$seed -timeout=20 -rss_limit_mb=4096 -max_len=9216 -print_final_stats=1"
        echo "-artifact_prefix=$found/$1- ${SECONDS_EACH:+-max_total_time=$SECONDS_EACH}"
    else
        echo "-runs=$runs -seed=$seed ${SECONDS_EACH:+-seconds=$SECONDS_EACH} -seeds=$PWD/$here/corpus/$1.txt"
    fi
}

# fuzz TARGET: runs it in a folder of its own, in which it may keep what it finds
fuzz()
{
    local name=$1 folder=$work/$1 program=$build/tests/fuzz.$1 start=$EPOCHREALTIME
    mkdir -p "$folder/new" "$found"
    local folders=
    [ "$libfuzzer" = 0 ] || { folders='new seeds' && "$here/seeds.sh" unpack "$name" "$folder/seeds"; }
    local asan=$ASAN_OPTIONS
    # libhdf5 copies a little more than it has of damaged object headers: only our own code is looked at.
    [[ ! $name =~ ^(lofar_bf|fbh5)$ ]] || asan+=:replace_intrin=0:replace_str=0
    # shellcheck disable=SC2046,SC2086
    (export ASAN_OPTIONS=$asan; cd "$folder" && "$program" $(cd "$OLDPWD" && options "$name") $folders) >"$folder/log" 2>&1
    local code=$?
    if [ $code -ne 0 ]; then
        [ -f "$folder/crash" ] && cp "$folder/crash" "$found/$name-crash"
        echo "$name: exit $code; seed $seed; the input is in $found"
        grep -vE '^(INFO|#[0-9]+\s)' "$folder/log" | head -n 24
        return 1
    fi
    local done
    done=$(sed -nE 's/^stat::number_of_executed_units: *//p; s/.* ([0-9]+) inputs in .*/\1/p' "$folder/log")
    awk -v name="$name" -v done="$done" -v from="$start" -v to="$EPOCHREALTIME" -v seed="$seed" \
        'BEGIN { printf "%-13s %8d inputs in %6.1f s, seed %s\n", name, done, to - from, seed }'
    [ -z "${KEEP:-}" ] || cp -r "$folder/new" "$KEEP/$name"
}

failed=0
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(ls $here/corpus | sed 's/\.txt$//')
for name in "${targets[@]}"; do
    fuzz "$name" || failed=1
done
exit $failed
