#!/usr/bin/env bash
# run.sh: the experiments, one command each; docs/experiments.md says what they show.
#
#   bench/experiments/run.sh NAME [options]
#
#   pipeline1 pipeline2 fanout search   tunes the pipeline and measures the plan: -small.json, or whole
#   FILE.json                           the same with a pipeline of yours
#   thesis                              how many combinations of layouts there are
#   layouts                             all 864 of Kis' first pipeline timed whole, and predicted from their parts
#   sweep                               cell shape and size, work-groups, memory: one step at a time
#   transposes                          to one layout and from it, against distance: of tables of bench/run.sh
#   dedispersion                        trials of dispersion measures against speed, Apertif and LOFAR
#   all                                 all of these
#   page                                puts committed results into docs/experiments.md, and pictures
#                                       of them beside them
#
#   --full           the sizes of the publications, and the time that these take
#   --out FOLDER     where everything goes (build/experiments): NAME.md, NAME.json, plans, journals,
#                    pages, costs
#   --keep           copies NAME.md and NAME.json to bench/results/experiments, and does page
#   --exhaustive     of a pipeline: compares with a plan for which every cell was measured, which is
#                    made (or gone on with) where FOLDER has no NAME.exhaustive.json: ten minutes
#   --budget SECONDS of each tuning
#   --tuned PLAN     of a pipeline: this plan, with PLAN.journal beside it, instead of tuning
#   --rounds N, --processes N   of each comparison of plans (30, 4)
#   --every N        of layouts and sweep: only each N-th, for a look
#   --resume         of layouts, sweep, dedispersion: go on where a run was interrupted
#   --tables "A.json B.json"  of transposes (those of bench/results)
#   --dms "2 8 32"   numbers of trials of dedispersion
#   --setups "lofar" of dedispersion (apertif lofar)
#   --simulate COSTS searches these costs instead of the device
#   --check          of page: says whether page and results agree, and changes nothing
#
# CORNERTURN names the command (build/cornerturn). Needs no other programs than bash, awk and sed.
set -euo pipefail
# A path of the caller's, from wherever the script goes.
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
fail() { echo "run.sh: $1" >&2; exit 2; }

name='' full='' out='' keep='' exhaustive='' budget='' rounds=30 processes=4 dms='' setups='apertif lofar'
costs='' check='' every='' tables='' tuned='' resume='' options=()
[ -z "${CORNERTURN:-}" ] || CORNERTURN=$(absolute "$CORNERTURN")
while [ $# -gt 0 ]; do
    case $1 in
        --full | --keep | --exhaustive | --check | --resume) options+=("$1") ;;
        --*) options+=("$1" "${2:-}") ;;
    esac
    case $1 in
        --full) full=yes; shift ;;
        --keep) keep=yes; shift ;;
        --exhaustive) exhaustive=yes; shift ;;
        --check) check=yes; shift ;;
        --resume) resume=yes; shift ;;
        --out | --budget | --every | --tables | --tuned | --rounds | --processes | --dms | --setups | --simulate)
            [ $# -gt 1 ] || fail "$1: a value is missing"
            case $1 in
                --out) out=$(absolute "$2") ;;
                --budget) budget=$2 ;;
                --every) every=$2 ;;
                --tables) tables=$2 ;;
                --tuned) tuned=$(absolute "$2") ;;
                --rounds) rounds=$2 ;;
                --processes) processes=$2 ;;
                --dms) dms=$2 ;;
                --setups) setups=$2 ;;
                --simulate) costs=$(absolute "$2") ;;
            esac
            shift 2 ;;
        -*) fail "no option $1; the head of this script lists them" ;;
        *.json) [ -z "$name" ] || fail "one experiment at a time, found $name and $1"; name=$(absolute "$1"); shift ;;
        *) [ -z "$name" ] || fail "one experiment at a time, found $name and $1"; name=$1; shift ;;
    esac
done
[ -n "$name" ] || fail 'which experiment? pipeline1, pipeline2, fanout, search, FILE.json, thesis, layouts, sweep, transposes, dedispersion, all or page'

# Each by itself: what goes wrong with one leaves the others.
if [ "$name" = all ]; then
    failed=''
    for each in pipeline1 pipeline2 fanout search thesis layouts sweep transposes dedispersion; do
        bash "${BASH_SOURCE[0]}" "$each" "${options[@]}" || failed+=" $each"
    done
    [ -z "$failed" ] || fail "went wrong:$failed"
    exit
fi

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=bench/experiments
results=bench/results/experiments
out=${out:-$PWD/build/experiments}
cornerturn=${CORNERTURN:-$PWD/build/cornerturn}
[ "$name" = page ] || [ -x "$cornerturn" ] || fail "$cornerturn is no program: build it, or name it in CORNERTURN"
export POCL_AFFINITY=1 LC_ALL=C
for part in pipeline plans thesis layouts sweep transposes dedispersion picture page; do
    # shellcheck source=/dev/null
    . "$here/$part.sh"
done

# What every result says first.
machine_here()
{
    local about cpu
    cpu=$(sed -nE '/^model name/ { s/.*: *//p; q }' /proc/cpuinfo)
    about=$("$cornerturn" info devices --json | sed -nE 's/.*"platform": "([^"]*)".*/\1/p' | head -n 1)
    echo "On ${cpu:-an unknown processor}, $(nproc) cores; ${about:-no device}; $(sed -nE 's/^PRETTY_NAME="(.*)"/\1/p' /etc/os-release)."
}

# machine PLAN: what every result says first, from the key of a plan that was tuned there.
machine()
{
    local cpu driver
    cpu=$(sed -nE '/^model name/ { s/.*: *//p; q }' /proc/cpuinfo)
    driver=$(sed -nE 's/.*"platform": "([^"]*)", "driver": "([^"]*)".*/\1 \2/p' "$1" | head -n 1)
    echo "On ${cpu:-an unknown processor}, $(nproc) cores; ${driver:-made-up costs}; $(sed -nE 's/^PRETTY_NAME="(.*)"/\1/p' /etc/os-release)."
}

# whole FILE COMMAND..: what it prints takes the file's place, when all of it went well.
whole()
{
    local file=$1
    shift
    "$@" >"$file.part"
    mv "$file.part" "$file"
}

# of_tuned KEY PLAN: a number or word of the plan's "tuned".
of_tuned() { grep -m 1 '"tuned"' "$2" | grep -oE "\"$1\": ?[^,}]*" | sed 's/.*: *//'; }

keep_result()
{
    mkdir -p "$results"
    cp "$out/$1.md" "$out/$1.json" "$results/"
    page
}

small=-small
[ -z "$full" ] || small=''
case $name in
    page) page; exit ;;
    thesis | transposes) made=$name ;;
    dedispersion | layouts | sweep) made=$name$small ;;
    *.json) [ -f "$name" ] || fail "$name: no such file"
        made=$(basename "$name" .json) ;;
    *) [ -f "$here/$name.json" ] || fail "no experiment $name"
        made=$name$small name=$here/$name$small.json ;;
esac
mkdir -p "$out"
case $name in
    *.json) pipeline "$name" "$made" ;;
    *) "$name" "$made" ;;
esac
[ -z "$keep" ] || keep_result "$made"
echo "$out/$made.md"
