# costs.sh: made-up costs for tests of `tune --simulate`, and what those of `tune` and `report` share;
# sourced. $verb: which of the two is tested.
failed=0
fail() { echo "failed${seed:+ (SEED=$seed)}: $*"; failed=$((failed + 1)); }
# refused CODE PATTERN ARGUMENTS..: in one sentence, which says this, though progress may stand before it.
refused()
{
    local code=$1 pattern=$2 got
    shift 2
    "$CORNERTURN" "$verb" "$@" >out 2>err
    got=$?
    [ "$got" = "$code" ] || fail "$verb $*: exit $got, expected $code: $(cat err)"
    grep -qE -- "$pattern" err || fail "$verb $*: expected '$pattern', found: $(cat err)"
    [ "$(grep -vcE '^[0-9]+ done[:,] ' err)" = 1 ] || fail "$verb $*: expected one sentence, found: $(cat err)"
}

# orders LETTERS: every order of them, a line each.
orders()
{
    awk -v letters="$1" 'function walk(done, left, i) { if (left == "") { print done; return }
        for (i = 1; i <= length(left); i++) walk(done substr(left, i, 1), substr(left, 1, i - 1) substr(left, i + 1)) }
        BEGIN { walk("", letters) }'
}

# table READS WRITES SEED KIND: "SPT>SPTC": seconds, ..; KIND copies: of a transpose, which has no entry from
# a layout to itself; cells: all; gaps: one of nine cells away from the default cannot be built.
table()
{
    paste -sd' ' <(orders "$1") | awk -v writes="$(orders "$2" | tr '\n' ' ')" -v seed="$3" -v kind="$4" '
        BEGIN { srand(seed) } { n = split(writes, w, " "); comma = ""
            for (i = 1; i <= NF; i++) for (j = 1; j <= n; j++) {
                if (kind == "copies" && $i == w[j] || kind == "gaps" && i > 1 && (i + j) % 9 == 0) continue
                printf "%s\"%s>%s\": %.6f", comma, $i, w[j], 0.01 + 0.02 * rand(); comma = ", " } }'
}

# costs FFT KIND MORE: of a pipeline of sky, fir and a transform of this name; MORE: further members.
costs()
{
    echo "{ \"cornerturn_costs\": 1, ${3:-}\"nodes\": {"
    echo "\"fir\": { $(table SPT SPTC 1 "$2") }, \"$1\": { $(table SPTC SPTC 2 "$2") } }, \"transposes\": {"
    echo "\"sky\": { $(table SPT SPT 3 copies) }, \"fir\": { $(table SPTC SPTC 4 copies) },"
    echo "\"$1\": { $(table SPTC SPTC 5 copies) } } }"
}
