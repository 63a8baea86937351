# page.sh: of run.sh: committed results in docs/experiments.md, between "<!-- NAME -->" and "<!-- end -->".
# Sourced.

# page_pictures FOLDER: what is drawn of each result, where something is.
page_pictures()
{
    for file in "$results"/*.md; do
        [ -e "$file" ] || continue
        local name=$1/$(basename "$file" .md).svg
        picture "$file" >"$name"
        [ -s "$name" ] || rm "$name"
    done
}

# The page with the tables of bench/results/experiments. Of two sizes one may be missing.
page_fill()
{
    awk -v from="$results/" '
        /^<!-- end -->$/ { skip = 0 }
        skip { next }
        { print }
        /^<!-- [a-z0-9-]+ -->$/ && $2 != "end" {
            file = from $2 ".md"; skip = 1; any = 0
            while ((getline line < file) > 0) { any = 1; print line }
            drawn = from $2 ".svg"
            if ((getline line < drawn) > 0) printf "\n![%s](../%s)\n", $2, drawn
            close(drawn)
            close(file)
            other = $2 ".md"; if (!sub(/-small/, "", other)) other = $2 "-small.md"
            if (!any && (getline line < (from other)) <= 0) print "*Not measured yet.*"
            close(from other) }' docs/experiments.md
}

# What stands in results, but has no place on the page.
page_forgotten()
{
    for file in "$results"/*.md; do
        [ -e "$file" ] || continue
        grep -qxF "<!-- $(basename "$file" .md) -->" docs/experiments.md || echo "$file has no place in docs/experiments.md"
        [ -s "${file%.md}.json" ] || echo "$file has no ${file%.md}.json"
    done
}

# What differs from what results would make.
page_differs()
{
    local folder
    folder=$(mktemp -d)
    page_pictures "$folder"
    for file in "$results"/*.svg "$folder"/*.svg; do
        [ ! -e "$file" ] || cmp -s "$folder/${file##*/}" "$results/${file##*/}" ||
            echo "$results/${file##*/} is not what is drawn of its results"
    done | sort -u
    rm -r "$folder"
    page_fill | diff docs/experiments.md - || echo 'docs/experiments.md is not what its results make'
}

# How many plans there are, as docs/tuning.md has it for pipeline2.
page_tuning() { sed -E "s/some [0-9]+ x 10\\^[0-9]+ plans/some $(thesis_plans pipeline2) plans/" docs/tuning.md; }

# Counts need no device but the command, and change with the stages' layouts and tunables.
page_counts()
{
    local fresh
    [ -x "$cornerturn" ] && [ -e docs/tuning.md ] || return 0
    fresh=$(thesis_result)
    diff "$results/thesis.md" - <<<"$fresh" || echo "the counts of $results/thesis.md are not those of today: bench/experiments/run.sh thesis --keep"
    page_tuning | diff docs/tuning.md - || echo 'the count of docs/tuning.md is not that of today: bench/experiments/run.sh thesis --keep'
}

page()
{
    local wrong
    wrong=$(page_forgotten)
    if [ -n "$check" ]; then
        wrong+=$(page_differs)$(page_counts)
        [ -z "$wrong" ] || wrong+=$'\nbench/experiments/run.sh page makes it anew'
    else
        page_pictures "$results"
        whole docs/experiments.md page_fill
        if [ -x "$cornerturn" ] && [ -e docs/tuning.md ]; then whole docs/tuning.md page_tuning; fi
    fi
    [ -z "$wrong" ] || { echo "$wrong" >&2; return 1; }
}
