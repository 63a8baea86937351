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
    BEGIN { FS = " *[|] *"; grey = "#8c959f"; blue = "#2f6fb5"; end = " text-anchor=\"end\""; middle = " text-anchor=\"middle\"" }'

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
            k = ++n; at[k] = place[$2]; x[k] = log($3) / log(2); usual[k] = $4; tuned[k] = $5; trials[k] = $3
            if ($4 > most) most = $4; if ($5 > most) most = $5; if (x[k] > far) far = x[k] }
        function px(k) { return 60 + at[k] * 400 + (x[k] - 1) / (far > 1 ? far - 1 : 1) * 300 }
        function py(value) { return 270 - 230 * value / most }
        function curve(s, list, colour, k, points) { points = ""
            for (k = 1; k <= n; k++) if (at[k] == s) { points = points sprintf("%.1f,%.1f ", px(k), py(list[k]))
                printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", px(k), py(list[k]), colour }
            printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", points, colour }
        END { if (!n) exit
            open(400 * setups, 320); legend(60, 300)
            step = most > 200 ? 100 : most > 80 ? 40 : most > 20 ? 10 : most > 8 ? 4 : 1
            for (s = 0; s < setups; s++) { text(210 + 400 * s, 24, setup[s], middle)
                for (v = 0; v <= most; v += step) { line(60 + 400 * s, py(v), 370 + 400 * s, py(v), "#d8dee4"); text(54 + 400 * s, py(v) + 4, v, end) }
                curve(s, usual, grey); curve(s, tuned, blue) }
            for (k = 1; k <= n; k++) text(px(k), 286, trials[k], middle)
            text(230, 311, "GFLOP/s against trials", "")
            print "</svg>" }' "$1"
}

# picture RESULTS.md: whichever it has the table for; nothing of others.
picture() { if grep -q '^| set-up |' "$1"; then picture_trials "$1"; else picture_steps "$1"; fi; }
