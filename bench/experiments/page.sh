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
            drawn = from $2 ".svg"
            if ((getline line < drawn) > 0) printf "\n![%s](../%s)\n", $2, drawn
            close(drawn)
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

page()
{
    local wrong
    wrong=$(page_forgotten)
    if [ -n "$check" ]; then
        wrong+=$(page_differs)
        [ -z "$wrong" ] || wrong+=$'\nbench/experiments/run.sh page makes it anew'
    else
        page_pictures "$results"
        whole docs/experiments.md page_fill
    fi
    [ -z "$wrong" ] || { echo "$wrong" >&2; return 1; }
}
