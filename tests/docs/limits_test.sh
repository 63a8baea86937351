#!/usr/bin/env bash
# limits_test.sh: docs/limits.md has the numbers that the sources have. The third column of a limit is
#   `NAME`, `file.c:NAME`   a constant, perhaps with arithmetic behind it: NAME / 2 - 1
#   `file.c:TEXT`           what stands in that file, with the number or the next one in it
#   `STAGE.PARAM`           a parameter's largest value in `cornerturn info stage`
# and the types of the last table are those of `cornerturn info stage`.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
page=docs/limits.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0

complain()
{
    failed=$((failed + 1))
    printf '%s: %s\n' "$page" "$*"
}

# sources_named FILE: all of that name; without one, all there are.
sources_named()
{
    find include base layouts core tuner io stages cli -name "${1:-*.[ch]}" ! -name '*_test.c'
}

# constant NAME FILE: its values, one for each place that defines it.
constant()
{
    [ "$1" = INT32_MAX ] && echo 2147483647 && return
    sources_named "$2" | xargs -r sed -nE \
        "s/^(.*[{, ])?(#define $1|$1 =) +\(?(\(int64_t\))? *([^,;}\/]*[^,;}\/ )]).*/\4/p" |
        sed 's/CT_DIMS/8/; s/INT32_MAX/2147483647/' | sort -u
}

# number TEXT: of an expression in whole numbers; 1e15 is one, too.
number()
{
    local text=$1
    while [[ $text =~ ([0-9]+)e([0-9]+) ]]; do
        text=${text/${BASH_REMATCH[0]}/${BASH_REMATCH[1]}$(printf '0%.0s' $(seq "${BASH_REMATCH[2]}"))}
    done
    [[ $text =~ ^[0-9\ \<+*/()-]+$ ]] && echo $((text))
}

# check_limit WHAT MOST WHERE
check_limit()
{
    local what=$1 most=$2 where=$3 file='' name rest value
    count=$((count + 1))
    if [[ $where =~ ^([a-z.]+)\.([a-z_]+)$ ]]; then
        value=$("$CORNERTURN" info stage "${BASH_REMATCH[1]}" |
            sed -nE "s/^  ${BASH_REMATCH[2]} .* to ([0-9]+)\)$/\1/p")
        [ "$value" = "$most" ] || complain "$what: $most, but $where has ${value:-no largest value}"
        return
    fi
    [[ $where == *.[ch]:* ]] && file=${where%%:*} && where=${where#*:}
    if [[ $where =~ ^([A-Z][A-Z0-9_]+)(.*)$ ]]; then
        name=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
        value=$(constant "$name" "$file")
        [ -n "$value" ] || { complain "$what: the sources have no constant $name"; return; }
        value=$(number "($value)$rest")
        [ "$value" = "$most" ] || complain "$what: $most, but $name$rest is $value"
    else
        sources_named "$file" | xargs -r grep -qF -- "$where" && [[ $where =~ ([0-9]+) ]] &&
            [ $((BASH_REMATCH[1] - most)) -ge 0 ] && [ $((BASH_REMATCH[1] - most)) -le 1 ] ||
            complain "$what: $most, but '$where' does not stand in $file, or has another number"
    fi
}

# types STAGE in|out: of its first input, of its first output.
types()
{
    "$CORNERTURN" info stage "$1" | awk -v way="$2" '/^ports/ { on = 1; next } /^$/ { on = 0 }
        on && $2 == way { for (k = 4; $k ~ /^(=X|[a-z]+[0-9]+)$/; k++) printf "%s%s", (k > 4 ? " " : ""), $k
                          print ""; exit }' | sed 's/^=X$/the same/'
}

while IFS='|' read -r _ what most where _; do
    most=$(echo "$most" | tr -d ' ')
    where=$(echo "$where" | sed -E 's/^ *`//; s/` *$//')
    if [[ $most =~ ^[0-9]+$ ]]; then check_limit "$what" "$most" "$where"; fi
done <"$page"
[ "$count" -gt 40 ] || complain "only $count limits are compared"

while IFS='|' read -r _ stages takes gives _; do
    for stage in $(echo "$stages" | tr -d '`,'); do
        echo "$stage" >>"$work/stages"
        [ "$(xargs <<<"$takes")" = "$(types "$stage" in)" ] || complain "$stage takes $(types "$stage" in)"
        [ "$(xargs <<<"$gives")" = "$(types "$stage" out)" ] || complain "$stage gives $(types "$stage" out)"
    done
done < <(awk '/^## / { on = $0 == "## Types" } on && /^\| `/' "$page")
difference=$(diff <(sort "$work/stages") <("$CORNERTURN" info stages | awk '{ print $1 }' | sort)) ||
    complain "stages in the table of types (<), and all there are (>): $difference"

echo "$count limits, $failed wrong"
[ "$failed" -eq 0 ]
