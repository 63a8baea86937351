#!/usr/bin/env bash
# figures.sh [BUILD [FOLDER]]: draws the README's figures into FOLDER (docs): what the demo finds, by the command of BUILD; what
# tuning gains and speed beside other programs, from committed results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(cd "${1:-build}" && pwd) to=${2:-docs}
. bench/experiments/picture.sh

# The demo's pulse: examples/observation.json, then examples/lofar.json.
figure_found()
{
    local work
    work=$(mktemp -d)
    mkdir "$work/data"
    cp examples/observation.json examples/lofar.json "$work"
    XDG_DATA_HOME=$work "$build/cornerturn" run "$work/observation.json" --quiet
    XDG_DATA_HOME=$work "$build/cornerturn" run "$work/lofar.json" --quiet
    cat "$work/data/found.svg"
    rm -r "$work"
}

# NAME<tab>TUNED<tab>LOW<tab>HIGH: of the default's time, from the tables of experiments, whose last two columns are these.
gains()
{
    awk -F ' *[|] *' '/^### / { name = substr($0, 5) }
        /^[|] tuned [|]/ { split($(NF - 1), bounds, " to "); print name "\t" $(NF - 2) "\t" bounds[1] "\t" bounds[2] }' \
        bench/results/experiments/*.md | sort -t "$(printf '\t')" -k 2,2g
}

figure_gains()
{
    gains | awk "$picture_tools"'
        BEGIN { FS = "\t" }
        { n++; name[n] = $1; part[n] = $2 + 0; low[n] = $3 + 0; high[n] = $4 + 0 }
        function px(value) { return 150 + 420 * value }
        END { open(640, 64 + 26 * n); text(150, 18, "time of the tuned plan, of the default (1)", "")
            for (v = 0; v <= 1.001; v += 0.25) { line(px(v), 26, px(v), 32 + 26 * n, v > 0.9 ? "#24292f" : "#d8dee4"); text(px(v), 46 + 26 * n, v, middle) }
            for (i = 1; i <= n; i++) { y = 30 + 26 * (i - 1); text(142, y + 13, name[i], end)
                box(150, y + 2, 420 * part[i], 15, blue); line(px(low[i]), y + 9.5, px(high[i]), y + 9.5, "#24292f")
                text(580, y + 14, sprintf("%.2f", part[i]), "") }
            print "</svg>" }'
}

# STAGE<tab>PEER<tab>RATIO: of each stage the fastest program that does the same; copies do not.
peers()
{
    awk -F ' *[|] *' '/^## Peers/ { on = 1; next } /^##/ { on = 0 }
        on && $7 + 0 > 0 && $3 !~ /copy|memcpy/ { if (!($2 in least)) order[++n] = $2
            if (!($2 in least) || $7 + 0 < least[$2]) { least[$2] = $7 + 0; peer[$2] = $3 } }
        END { for (i = 1; i <= n; i++) print order[i] "\t" peer[order[i]] "\t" least[order[i]] }' bench/results/TABLE.md
}

figure_speed()
{
    peers | awk "$picture_tools"'
        BEGIN { FS = "\t" }
        { n++; name[n] = $1; sub(/,.*/, "", $2); peer[n] = $2; times[n] = $3 + 0; if (times[n] > most) most = times[n] }
        function px(value) { return 150 + 200 * log(value) / log(most) }
        END { open(640, 64 + 26 * n); text(150, 18, "time of another program as a multiple of the stage here (1), logarithmic", "")
            for (v = 1; v <= most; v *= 2) { line(px(v), 26, px(v), 32 + 26 * n, v == 1 ? "#24292f" : "#d8dee4"); text(px(v), 46 + 26 * n, v, middle) }
            for (i = 1; i <= n; i++) { y = 30 + 26 * (i - 1); text(142, y + 13, name[i], end)
                box(150, y + 2, px(times[i]) - 150, 15, blue)
                text(px(times[i]) + 8, y + 14, sprintf("%.2f  %s", times[i], peer[i]), "") }
            print "</svg>" }'
}

mkdir -p "$to"
for figure in found gains speed; do
    "figure_$figure" >"$to/$figure.svg"
done
