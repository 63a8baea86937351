# page.sh: of run.sh: committed results in docs/experiments.md, between "<!-- NAME -->" and "<!-- end -->".
# Sourced.

# The page with the tables of bench/results/experiments.
page_fill()
{
    awk -v from="$results/" '
        /^<!-- end -->$/ { skip = 0 }
        skip { next }
        { print }
        /^<!-- [a-z0-9-]+ -->$/ && $2 != "end" {
            file = from $2 ".md"; skip = 1; any = 0
            while ((getline line < file) > 0) { any = 1; print line }
            if (!any) print "*Not measured yet.*"
            close(file) }' docs/experiments.md
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

page()
{
    local bad=0 forgotten
    forgotten=$(page_forgotten)
    [ -z "$forgotten" ] || { echo "$forgotten" >&2; bad=1; }
    if [ -z "$check" ]; then
        page_fill | whole docs/experiments.md
    elif ! page_fill | diff docs/experiments.md - >&2; then
        echo 'docs/experiments.md is not what bench/experiments/run.sh page makes of bench/results/experiments' >&2
        bad=1
    fi
    return $bad
}
