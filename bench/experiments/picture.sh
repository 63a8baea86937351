# picture.sh: of run.sh: pictures of the tables of results, as SVG. Sourced.

# What both begin with: text, lines and boxes on white, for pages of either colour.
picture_tools='
    function text(x, y, words, look) { gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words); gsub(/>/, "\\&gt;", words)
        printf "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", x, y, look, words }
    function line(x, y, z, w, colour) { printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x, y, z, w, colour }
    function box(x, y, w, h, colour) { printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, w, h, colour }
    function open(w, h) { printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n", w, h, w, h
        box(0, 0, w, h, "#ffffff") }
    function legend(x, y) { box(x, y, 12, 12, grey); text(x + 18, y + 11, "default", ""); box(x + 90, y, 12, 12, blue); text(x + 108, y + 11, "tuned", "") }
    BEGIN { FS = " *[|] *"; grey = "#8c959f"; blue = "#2f6fb5"; amber = "#c07f1a"; end = " text-anchor=\"end\""; middle = " text-anchor=\"middle\"" }'

# Milliseconds of each step under both plans, from the second table of a pipeline's results.
picture_steps()
{
    awk "$picture_tools"'
        /^[|] step [|] default [|] ms/ { on = 1; next }
        on && /^[|]---/ { next }
        on && !/^[|]/ { on = 0 }
        on && ($4 > 0 || $7 > 0) { n++; name[n] = $2; usual[n] = $4; tuned[n] = $7; if ($4 > most) most = $4; if ($7 > most) most = $7 }
        END { if (!n) exit
            open(640, 36 + 34 * n); legend(180, 6)
            for (i = 1; i <= n; i++) { y = 28 + 34 * (i - 1); text(172, y + 18, name[i], end)
                if (usual[i] > 0) { box(180, y, 360 * usual[i] / most + 1, 13, grey); text(188 + 360 * usual[i] / most, y + 11, usual[i] " ms", "") }
                if (tuned[i] > 0) { box(180, y + 14, 360 * tuned[i] / most + 1, 13, blue); text(188 + 360 * tuned[i] / most, y + 25, tuned[i] " ms", "") } }
            print "</svg>" }' "$1"
}

# GFLOP/s against trials, a frame for each set-up.
picture_trials()
{
    awk "$picture_tools"'
        $3 ~ /^[0-9]+$/ && $4 > 0 { if (!($2 in place)) { place[$2] = setups++; setup[setups - 1] = $2 }
            k = ++n; at[k] = place[$2]; x[k] = log($3) / log(2); usual[k] = $4; tuned[k] = $5; fixed[k] = $6; trials[k] = $3
            if ($4 > most) most = $4; if ($5 > most) most = $5; if (x[k] > far) far = x[k] }
        function px(k) { return 60 + at[k] * 400 + (x[k] - 1) / (far > 1 ? far - 1 : 1) * 300 }
        function py(value) { return 270 - 230 * value / most }
        function curve(s, list, colour, k, points) { points = ""
            for (k = 1; k <= n; k++) if (at[k] == s) { points = points sprintf("%.1f,%.1f ", px(k), py(list[k]))
                printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", px(k), py(list[k]), colour }
            printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", points, colour }
        END { if (!n) exit
            open(400 * setups, 340); legend(60, 300); box(60, 318, 12, 12, amber); text(78, 329, "one set for all numbers of trials", "")
            step = most > 200 ? 100 : most > 80 ? 40 : most > 20 ? 10 : most > 8 ? 4 : 1
            for (s = 0; s < setups; s++) { text(210 + 400 * s, 24, setup[s], middle)
                for (v = 0; v <= most; v += step) { line(60 + 400 * s, py(v), 370 + 400 * s, py(v), "#d8dee4"); text(54 + 400 * s, py(v) + 4, v, end) }
                curve(s, usual, grey); curve(s, fixed, amber); curve(s, tuned, blue) }
            for (k = 1; k <= n; k++) text(px(k), 286, trials[k], middle)
            text(230, 311, "GFLOP/s against trials", "")
            print "</svg>" }' "$1"
}

# How much of a copy transposes take, against the distance of their layouts: a frame for each machine.
picture_distances()
{
    awk "$picture_tools"'
        /^[|] from [|] distance/ { for (m = 4; m < NF; m++) machine[m] = $m; on = NF; next }
        on && /^[|]---/ { next }
        on && !/^[|]/ { on = 0 }
        on { n++; far[n] = $3; for (m = 4; m < on; m++) { v[m, n] = $m; if ($m > most) most = $m }; last = on }
        function py(value) { return 250 - 210 * value / most }
        END { if (!n) exit
            open(340 * (last - 4), 300)
            for (m = 4; m < last; m++) { x = 50 + 340 * (m - 4); text(x + 130, 20, machine[m], middle)
                for (k = 0; k <= most; k += 0.5) { line(x, py(k), x + 270, py(k), "#d8dee4"); text(x - 6, py(k) + 4, k, end) }
                for (k = 2; k <= 8; k += 2) text(x + 30 * k, 268, k, middle)
                for (i = 1; i <= n; i++) printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" fill-opacity=\"0.6\"/>\n", x + 30 * far[i], py(v[m, i]), blue }
            text(50, 292, "time as a multiple of a copy, against the distance of the layouts", "")
            print "</svg>" }' "$1"
}

# Plans in the order of their time, by how many transposes they have; and what was measured against what their parts
# predict: of NAME.json beside the results.
picture_layouts()
{
    awk "$picture_tools"'
        BEGIN { FS = "[][, ]+"; ink[0] = blue; ink[1] = amber; ink[2] = grey }
        function dot(x, y, colour) { printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\" fill=\"%s\"/>\n", x, y, colour }
        function py(value) { return 300 - 260 * value / most }
        /^"P/ { n++; k = NF; while ($k == "") k--; turns[n] = $k; took[n] = $(k - 4); said[n] = $(k - 3); rank[n] = n
            if (took[n] > most) most = took[n]; if (said[n] > most) most = said[n] }
        END { if (!n) exit
            gap = 1
            for (g = int(n / 2); g > 0; g = int(g / 2)) for (i = g + 1; i <= n; i++) { r = rank[i]
                for (j = i - g; j > 0 && took[rank[j]] > took[r]; j -= g) rank[j + g] = rank[j]; rank[j + g] = r }
            open(820, 350); step = most > 3 ? 1 : 0.5
            for (v = 0; v <= most; v += step) { line(40, py(v), 420, py(v), "#d8dee4"); line(500, py(v), 800, py(v), "#d8dee4")
                text(34, py(v) + 4, v, end); text(494, py(v) + 4, v, end); text(500 + 300 * v / most, 316, v, middle) }
            line(500, 300, 800, py(most), "#24292f")
            for (i = 1; i <= n; i++) { r = rank[i]; dot(40 + 380 * i / n, py(took[r]), ink[turns[r]]); dot(500 + 300 * said[r] / most, py(took[r]), ink[turns[r]]) }
            for (k = 0; k <= 2; k++) { box(40 + 130 * k, 328, 12, 12, ink[k]); text(58 + 130 * k, 339, k " transposes", "") }
            text(230, 20, "all plans in order, of the reference", middle); text(650, 20, "measured against predicted from parts", middle)
            print "</svg>" }' "${1%.md}.json"
}

# From the best to the worst set of each kind of tunable, the default at 1: logarithmic.
picture_sweep()
{
    awk "$picture_tools"'
        /^[|] step [|] tunables/ { on = 1; next }
        on && /^[|]---/ { next }
        on && !/^[|]/ { on = 0 }
        on { n++; name[n] = $2 ", " $3; best[n] = $6; worst[n] = $7; if ($7 > most) most = $7; if (n == 1 || $6 < least) least = $6 }
        function px(value) { return 150 + 400 * log(value / least) / log(most / least) }
        END { if (!n) exit
            if (least > 1) least = 1
            open(620, 50 + 26 * n)
            for (v = 0.25; v <= most; v *= 2) if (v >= least) { line(px(v), 20, px(v), 30 + 26 * n, v == 1 ? "#24292f" : "#d8dee4"); text(px(v), 44 + 26 * n, v, middle) }
            for (i = 1; i <= n; i++) { y = 24 + 26 * (i - 1); text(142, y + 14, name[i], end)
                box(px(best[i]), y + 4, px(worst[i]) - px(best[i]) + 2, 13, blue) }
            text(150, 14, "best to worst set, of the step with its defaults", "")
            print "</svg>" }' "$1"
}

# picture RESULTS.md: whichever it has the table for; nothing of others.
picture()
{
    case $(grep -oE -m 1 '^\| (set-up|machine|transposes \| plans|step \| tunables) \|' "$1") in
        *set-up*) picture_trials "$1" ;;
        *machine*) picture_distances "$1" ;;
        *plans*) picture_layouts "$1" ;;
        *tunables*) picture_sweep "$1" ;;
        *) picture_steps "$1" ;;
    esac
}
