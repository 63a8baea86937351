# layouts.sh: of run.sh: all 864 combinations of layouts of Kis' first pipeline, each timed whole; and whether the times
# of steps, or distances of layouts, would have predicted them. Sourced.

# layouts_names: fir writes, fft reads, fft writes, beams read, beams write. Polarization is the slowest in all of them,
# the FFT's channel the fastest.
layouts_names()
{
    awk 'BEGIN { n = split("STC SCT TSC TCS CST CTS", six, " "); split("STC TSC", two, " ")
        m = split("BTC BCT TBC TCB CBT CTB", beams, " ")
        for (a = 1; a <= n; a++) for (b = 1; b <= 2; b++) for (c = 1; c <= 2; c++) for (d = 1; d <= n; d++) for (e = 1; e <= m; e++)
            print "P" six[a], "P" two[b], "P" two[c], "P" six[d], "P" beams[e] }'
}

layouts_plans()
{
    local at=0 a b c d e
    while read -r a b c d e; do
        at=$((at + 1))
        plan_but "$1/reference" "fir.Y=$a; fft.X=$b; fft.Y=$c; beams.X=$d; beams.Y=$e; beam data.X=$e" >"$1/$at"
    done <"$1/names"
}

# layouts_predict TIMES: a line for each plan: name, its time over the reference's (the median of all processes'
# medians: a process's own few rounds of it can be disturbed), and what parts predict of it. A part's time is its
# median over all plans that have it. Three predictions: transposes as measured; by their distance, with the price
# of a place that fits best; all alike. What no part is (the host, samples kept from the block before) counts as in
# the median plan.
layouts_predict()
{
    awk -F '\t' '
        function median(list, n, i, j, x) {
            for (i = 2; i <= n; i++) { x = list[i]; for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]; list[j + 1] = x }
            return n ? (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2 : 0 }
        function of_part(part, i, list, n) { n = count[part]; for (i = 1; i <= n; i++) list[i] = took[part, i]; return median(list, n) }
        function away(from, to, i, d, sum) { for (i = 1; i <= length(from); i++) { d = i - index(to, substr(from, i, 1)); sum += d < 0 ? -d : d } return sum }
        function parts(name, list, w) { split(name, w, " ")
            list[1] = "fir " w[1]; list[2] = w[1] == w[2] ? "" : "turn " w[1] ">" w[2]; list[3] = "fft " w[2] ">" w[3]
            list[4] = w[3] == w[4] ? "" : "turn " w[3] ">" w[4]; list[5] = "beams " w[4] ">" w[5] }
        $1 == "reference" { if ($2 == "") usual[++processes] = $3; next }
        $2 == "" { name[++plans] = $1; whole[$1] = $3; next }
        { sum[$1] += $3; parts($1, list)
          part = $2 ~ /^fir>/ || $2 ~ /^voltages>/ ? list[2] : $2 ~ /^fft>/ ? list[4] : $2 == "fir" ? list[1] : $2 == "fft" ? list[3] : $2 == "beams" ? list[5] : ""
          if (part) took[part, ++count[part]] = $3 }
        END {
            one = median(usual, processes)
            print "#", one
            for (part in count) { price[part] = of_part(part)
                if (part ~ /^turn/) { split(part, w, "[ >]"); far[part] = away(w[2], w[3]); all[++turns] = price[part]
                    sxy += far[part] * price[part]; sxx += far[part] ^ 2 } }
            alike = median(all, turns)
            for (i = 1; i <= plans; i++) rest[i] = whole[name[i]] - sum[name[i]]
            spare = median(rest, plans)
            for (i = 1; i <= plans; i++) { parts(name[i], list); plain = spare; t = d = e = n = 0
                for (k = 1; k <= 5; k++) if (list[k]) {
                    if (k % 2) plain += price[list[k]]
                    else { n++; t += price[list[k]]; d += far[list[k]] * sxy / sxx; e += alike } }
                printf "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%d\n", name[i], whole[name[i]] / one, (plain + t) / one, (plain + d) / one, (plain + e) / one, n }
            for (part in count) printf "part\t%s\t%.4f\t%d\n", part, price[part] / one, far[part] }' "$1"
}

# How far each prediction is off, and how good a plan it would have chosen.
layouts_errors()
{
    awk -F '\t' '
        function median(list, n, i, j, x) {
            for (i = 2; i <= n; i++) { x = list[i]; for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]; list[j + 1] = x }
            return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2 }
        NF == 6 { n++; for (k = 2; k <= 5; k++) v[k, n] = $k; if (n == 1 || $2 < best) best = $2 }
        END {
            split(",,transposes as measured,by their distance,all alike", called, ",")
            print "| predicted from steps, transposes | off by, median | worst | of two plans, in the right order | the plan it chooses, of the best one |"
            print "|---|---:|---:|---:|---:|"
            for (k = 3; k <= 5; k++) { worst = right = pairs = 0; first = 1
                for (i = 1; i <= n; i++) { off[i] = v[k, i] / v[2, i] - 1; if (off[i] < 0) off[i] = -off[i]
                    if (off[i] > worst) worst = off[i]; if (v[k, i] < v[k, first]) first = i
                    for (j = 1; j < i; j++) { pairs++; right += (v[k, i] - v[k, j]) * (v[2, i] - v[2, j]) > 0 } }
                printf "| %s | %.1f %% | %.1f %% | %.1f %% | %.3f |\n", called[k], 100 * median(off, n), 100 * worst, 100 * right / pairs, v[2, first] / best } }' "$1"
}

layouts_kinds()
{
    awk -F '\t' '
        NF == 6 { k = $6; if (!n[k]++ || $2 < best[k]) { best[k] = $2; which[k] = $1 }
            if ($2 > most[k]) most[k] = $2; list[k, n[k]] = $2; all++; if (all == 1 || $2 < least) least = $2; one[all] = $2 }
        function median(k, m, i, j, x, v) { for (i = 1; i <= m; i++) v[i] = list[k, i]
            for (i = 2; i <= m; i++) { x = v[i]; for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]; v[j + 1] = x }
            return (v[int((m + 1) / 2)] + v[int(m / 2) + 1]) / 2 }
        END {
            print "| transposes | plans | best | median | worst | the best: fir writes, fft reads, writes, beams read, write |"
            print "|---:|---:|---:|---:|---:|---|"
            for (k = 0; k <= 2; k++) if (n[k]) printf "| %d | %d | %.3f | %.3f | %.3f | %s |\n", k, n[k], best[k], median(k, n[k]), most[k], which[k]
            for (i = 1; i <= all; i++) { five += one[i] <= 1.05 * least; ten += one[i] <= 1.1 * least; usual += one[i] < 1 }
            printf "\nWithin 5 %% of the best: %.1f %% of all; within 10 %%: %.1f %%; faster than the reference: %.1f %%.\n", 100 * five / all, 100 * ten / all, 100 * usual / all }' "$1"
}

# Transposes inside these plans against their distance.
layouts_distance()
{
    echo '| distance | transposes | least | median | most |'
    echo '|---:|---:|---:|---:|---:|'
    awk -F '\t' '$1 == "part" && $4 > 0 { print $4 "\t" $3 }' "$1" | sort -n | awk '
        function row() { if (n) printf "| %d | %d | %.4f | %.4f | %.4f |\n", far, n, v[1], (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2, v[n] }
        $1 != far { row(); n = 0; far = $1 } { v[++n] = $2 } END { row() }'
}

layouts_result()
{
    local all=$1/predicted
    printf '### %s\n\n' "$2"
    machine_here
    printf 'The reference, `fir` SPT>SPTC, `fft` SPTC>CTSP, `beams` CTSP>BCTP, takes %.3f ms a block; all numbers are ratios to it.\n%d plans; medians of %s rounds.\n\n' \
        "$(sed -n 's/^# //p' "$all")" "$(grep -c . "$1/names")" "$rounds"
    layouts_kinds "$all"
    printf '\n'
    layouts_errors "$all"
    printf '\nTransposes inside these plans, of the reference'"'"'s block:\n\n'
    layouts_distance "$all"
}

layouts_json()
{
    printf '{ "reference_ms": %s, "order": ["ratio", "predicted", "by_distance", "alike", "transposes"], "plans": {\n' "$(sed -n 's/^# //p' "$1")"
    awk -F '\t' 'NF == 6 { printf "%s\"%s\": [%s, %s, %s, %s, %d]", n++ ? ",\n" : "", $1, $2, $3, $4, $5, $6 } END { print "\n} }" }' "$1"
}

# layouts NAME
layouts()
{
    local name=$1 folder=$out/$1.plans most=60 file=$here/pipeline1$small.json
    [ -z "$full" ] || most=12
    plans_folder "$folder"
    layouts_names | sed -n "${every:-1}~${every:-1}p" >"$folder/names"
    plan_bare "$file" "$folder/usual" fft.fuse=false
    plan_but "$folder/usual" "fir.Y=SPTC; fft.X=SPTC; fft.Y=CTSP; beams.X=CTSP; beams.Y=BCTP; beam data.X=BCTP" >"$folder/reference"
    layouts_plans "$folder"
    plans_time "$file" "$folder" "$folder/names" "$most" >"$folder/times.all"
    layouts_predict "$folder/times.all" >"$folder/predicted"
    whole "$out/$name.md" layouts_result "$folder" "$name"
    whole "$out/$name.json" layouts_json "$folder/predicted"
}
