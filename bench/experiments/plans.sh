# plans.sh: of run.sh: plans that differ from a reference in what is said, and all of them timed whole: rehearsed in
# turn by `bench`, a process for each few, the reference the first in each. Sourced.

# plan_bare FILE PLAN [NODE.PARAM=VALUE..]: the default plan of FILE with these parameters, by its layouts alone: gaps
# and tunables are then the defaults of each layout.
plan_bare()
{
    local file=$1 plan=$2 settings=()
    shift 2
    for each; do settings+=(--set "$each"); done
    "$cornerturn" explain "$file" "${settings[@]}" --save "$plan.all" >/dev/null
    sed -z 's/,\n *"tunables": {[^}]*}//g; s/,\n *"row_strides": {[^}]*}//g' "$plan.all" >"$plan"
    rm "$plan.all"
}

# plan_but PLAN WHAT: PLAN with, for example, "fir.Y=PSTC; beam data.X=PBCT; beams.WG=1": layouts of ports, whose names
# are single letters, and tunables.
plan_but()
{
    awk -v what="$2" '
        BEGIN { n = split(what, part, "; *")
                for (i = 1; i <= n; i++) if (match(part[i], /[.][A-Z_]+=/)) {
                    node[i] = substr(part[i], 1, RSTART - 1); key[i] = substr(part[i], RSTART + 1, RLENGTH - 2)
                    value[i] = substr(part[i], RSTART + RLENGTH) } }
        /^    "[^"]*": \{/ { split($0, quoted, "\""); now = quoted[2] }
        /^      "layouts": / { set = ""
            for (i = 1; i <= n; i++) if (node[i] == now) {
                if (length(key[i]) == 1) sub("\"" key[i] "\": \"[A-Z]*\"", "\"" key[i] "\": \"" value[i] "\"")
                else set = set (set ? ", " : "") "\"" key[i] "\": " value[i] }
            if (set) $0 = $0 ",\n      \"tunables\": { " set " }" }
        { print }' "$1"
}

# plans_time FILE FOLDER NAMES AT_A_TIME: rehearses FOLDER/reference and the plans FOLDER/1, FOLDER/2, .. whose names
# are the lines of NAMES. A line for each plan and step: name, tab, step ("" for the whole block), its median in ms,
# and the median of its ratio to the reference's whole block in the same round; each process has the reference anew.
# What an interrupted run has left in FOLDER is not timed again.
plans_time()
{
    local file=$1 folder=$2 names=$3 most=$4 count first last i list
    count=$(grep -c . "$names" || true)
    [ "$count" -gt 0 ] || fail 'no plan is left to be timed'
    for ((first = 1; first <= count; first += most)); do
        last=$((first + most - 1 < count ? first + most - 1 : count)) list=()
        if [ ! -s "$folder/times.$first" ]; then
            for ((i = first; i <= last; i++)); do list+=(--plan "$folder/$i"); done
            echo "plans $first to $last of $count" >&2
            "$cornerturn" bench "$file" --plan "$folder/reference" "${list[@]}" --rounds "$rounds" --processes 1 \
                --json "$folder/times" >/dev/null
            plans_read "$first" "$names" <"$folder/times" >"$folder/times.part"
            mv "$folder/times.part" "$folder/times.$first"
        fi
        cat "$folder/times.$first"
    done
}

# A folder for plans: a new one, or with --resume that of the run before.
plans_folder()
{
    [ -n "$resume" ] || rm -rf "$1"
    mkdir -p "$1"
}

# What `bench --json` has of single rounds, as medians; the first plan is the reference. The file names a process's
# lists of seconds: "wall" of each plan, then each step's.
plans_read()
{
    sed 's/.*"processes"//' | grep -oE '"(wall|name|seconds)": ?(\[[^]]*\]|"[^"]*")' | awk -v first="$1" -v names="$2" '
        function median(list, n, i, j, x) {
            for (i = 2; i <= n; i++) { x = list[i]; for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]; list[j + 1] = x }
            return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2 }
        function values(text, list) { gsub(/.*\[|\].*/, "", text); return split(text, list, /, */) }
        BEGIN { while ((getline line < names) > 0) name[++known] = line; plan = -1; FS = "\"" }
        /^"name"/ { step = $4; next }
        /^"wall"/ { plan++; step = "" }
        { n = values($0, v)
          for (i = 1; i <= n; i++) { if (step == "" && plan == 0) usual[i] = v[i]; share[i] = v[i] / usual[i] }
          called = plan == 0 ? "reference" : name[first + plan - 1]
          printf "%s\t%s\t%.6g\t%.4f\n", called, step, 1e3 * median(v, n), median(share, n) }'
}
