# pipeline.sh: of run.sh: a pipeline tuned, and the plan compared with the default's in fresh
# processes. Sourced.

# Seconds for one search; all the small experiments take half an hour.
pipeline_budget()
{
    [ -z "$budget" ] || { echo "$budget"; return; }
    [ -z "$full" ] || { echo 600; return; }
    case $1 in
        pipeline1*) echo 240 ;;
        search*) echo 360 ;;
        *) echo 300 ;;
    esac
}

# pipeline_cells JOURNAL: how many cells and transposes were measured, each counted once.
pipeline_cells() { grep -E '^\{"(cell|transpose)":' "$1" | sed 's/,"tunables":.*//' | sort -u | grep -c .; }

# A bench's tables without its heading.
pipeline_tables() { sed '/^## /,/^$/d' "$1"; }

# Names of plans instead of files on this machine: of the pipeline's `plan` and `file`.
pipeline_names() { sed -i "s|$plan|tuned|g; s|$out/$1.exhaustive.json|exhaustive|g; s|$file|$1.json|g" "$out/$1.bench" "$2"; }

# A report's tables under smaller headings, of the longest one the first rows only.
pipeline_report()
{
    sed 's/^## /#### /' "$1" | awk '
        /^[|] plan [|] foretold/ { on = 1; rows = 0 }
        on && !/^[|]/ { on = 0; if (rows > 7) printf "\nAnd %d more.\n", rows - 7 }
        on && ++rows > 7 { next }
        { print }'
}

# How long a search took, by its journal.
pipeline_spent() { sed -n 's/.*"spent":{\([^}]*\)}.*/\1/p' "$1" | tail -n 1 | tr ',' '\n' | awk -F : '{ all += $2 } END { printf "%.0f", all }'; }

pipeline_exhaustive()
{
    local file=$1 name=$2 plan=$3 best=$out/$2.exhaustive.json resume=() all mine
    [ -z "$costs" ] || resume=(--simulate "$costs")
    [ ! -s "$best.journal" ] || resume+=(--resume)
    [ -s "$best" ] || "$cornerturn" tune "$file" -o "$best" --exhaustive "${resume[@]}" >&2
    "$cornerturn" bench "$file" --plan "$best" --plan "$plan" --rounds "$rounds" --processes "$processes" \
        --json "$out/$name-exhaustive.json" >"$out/$name.bench"
    pipeline_names "$name" "$out/$name-exhaustive.json"
    all=$(pipeline_cells "$best.journal") mine=$(pipeline_cells "$plan.journal")
    printf '\n#### Beside a plan for which everything was measured\n\n'
    printf '%s of %s cells and transposes were measured, %s %%.\n\n' "$mine" "$all" \
        "$(awk -v a="$mine" -v b="$all" 'BEGIN { printf "%.1f", 100 * a / b }')"
    pipeline_tables "$out/$name.bench" | sed '/^| step /,$d'
}

# What the tuning took and chose.
pipeline_head()
{
    local plan=$1 seconds=$2
    machine "$plan"
    echo "Tuned in $seconds s: $(of_tuned measured "$plan") measurements of $(of_tuned space "$plan") cells and their transposes,"
    [ "$(of_tuned complete "$plan")" = true ] && echo 'to the end of the search.' || echo 'when the time was up.'
}

pipeline_result()
{
    local file=$1 name=$2 plan=$3 seconds=$4
    printf '### %s\n\n' "$name"
    pipeline_head "$plan" "$seconds"
    if grep -q 'the default was kept' "$out/$name.report"; then
        printf '\nNothing was clearly better: the tuned plan is the default.\n'
    fi
    printf '\n#### Default and tuned, in fresh processes\n\n'
    pipeline_tables "$out/$name.bench"
    [ -z "$exhaustive" ] || pipeline_exhaustive "$file" "$name" "$plan"
    printf '\n'
    pipeline_report "$out/$name.report"
}

# pipeline FILE NAME
pipeline()
{
    local file=$1 name=$2 plan=$out/$2.plan.json simulate=() seconds
    [ -z "$costs" ] || simulate=(--simulate "$costs")
    rm -f "$plan" "$plan.journal"
    if [ -n "$tuned" ]; then
        cp "$tuned" "$plan"
        cp "$tuned.journal" "$plan.journal"
    else
        echo "$name: tuning, $(pipeline_budget "$name") s" >&2
        "$cornerturn" tune "$file" -o "$plan" --budget "$(pipeline_budget "$name")" "${simulate[@]}" >&2
    fi
    seconds=$(pipeline_spent "$plan.journal")
    echo "$name: default and tuned, $processes fresh processes" >&2
    "$cornerturn" bench "$file" --plan default --plan "$plan" --rounds "$rounds" --processes "$processes" \
        --json "$out/$name.json" >"$out/$name.bench"
    pipeline_names "$name" "$out/$name.json"
    "$cornerturn" report "$plan.journal" -o "$out/$name.html" --csv "$out/$name.csv" --costs "$out/$name.costs" \
        --md "$out/$name.report"
    whole "$out/$name.md" pipeline_result "$file" "$name" "$plan" "$seconds"
    rm -f "$out/$name.bench" "$out/$name.report"
}
