# dedispersion.sh: of run.sh: the speed of dedispersion against the number of trials, with every set of tunables of a
# list, as in Sclocco et al. 2014 and 2016, for the set-ups of tuner/bench/workload_sizes.c. Sourced.

# dedispersion_setup NAME: channels, the lowest one's centre and their width (MHz), samples a second.
dedispersion_setup()
{
    case $1 in
        apertif) echo 1024 1425 0.29296875 20000 ;;
        lofar) echo 32 138 0.1953125 200000 ;;
    esac
}

# dedispersion_pipeline FILE SETUP DMS: from 0 in steps of 0.25 pc cm^-3; a block is a second of signal,
# small a quarter. The file of samples has holes only, and is never read.
dedispersion_pipeline()
{
    local channels low width rate parts=4 samples
    read -r channels low width rate <<<"$(dedispersion_setup "$2")"
    [ -z "$full" ] || parts=1
    samples=$(awk -v c="$channels" -v low="$low" -v wide="$width" -v rate="$rate" -v dms="$3" -v t=$((rate / parts)) 'BEGIN {
        sweep = 4148.808 * 0.25 * dms * (1 / low ^ 2 - 1 / (low + (c - 1) * wide) ^ 2) * rate
        printf "%d", 4 * t + sweep + 2 }')
    truncate -s $((4 * channels * samples)) "${1%.json}-power.raw"
    awk -v c="$channels" -v low="$low" -v wide="$width" -v rate="$rate" -v dms="$3" -v t=$((rate / parts)) \
        -v all="$samples" -v raw="$(basename "${1%.json}-power.raw")" 'BEGIN {
        printf "{ \"cornerturn\": 1, \"block\": { \"T\": %d }, \"nodes\": {\n", t
        printf "  \"power\": { \"stage\": \"source.raw\", \"file\": \"%s\", \"dims\": \"CT\", \"type\": \"f32\",\n", raw
        printf "    \"sizes\": { \"C\": %d, \"T\": %d }, \"sample_time_s\": %.9g, \"channel_width_hz\": %.9g,\n", c, all, 1 / rate, wide * 1e6
        printf "    \"frequency_hz\": ["
        for (i = 0; i < c; i++) printf "%s%.12g", i ? ", " : "", (low + i * wide) * 1e6
        printf "] },\n  \"dd\": { \"stage\": \"dedisp\", \"input\": \"power\", \"dm\": { \"start\": 0, \"step\": 0.25, \"count\": %d } },\n", dms
        printf "  \"out\": { \"stage\": \"sink.raw\", \"input\": \"dd\", \"file\": \"never-%s\" } } }\n", raw }' >"$1"
}

# Sets of tunables: samples and trials of a work-item; as on a GPU, in groups; tiles along the sweep; shared sums.
dedispersion_list()
{
    local samples trials
    for samples in '4 1' '4 4' '16 1' '16 4' '16 8'; do
        for trials in '1 1' '4 1' '4 4' '4 16' '8 1'; do
            echo "VECTOR_T=${samples% *} VECTORS_T=${samples#* } CELL_D=${trials% *} CELLS_D=${trials#* } TILE_T=0 NONTEMPORAL=0 SHARE=0"
        done
    done
    echo 'VECTOR_T=1 VECTORS_T=4 CELL_D=8 CELLS_D=1 TILE_T=0 WG=64 NONTEMPORAL=0 SHARE=0'
    echo 'VECTOR_T=16 VECTORS_T=4 CELL_D=4 CELLS_D=4 TILE_T=768 TILE_C=64 SHARE=0'
    echo 'VECTOR_T=16 VECTORS_T=8 CELL_D=4 CELLS_D=4 TILE_T=768 TILE_C=64 SHARE=1'
}

# dedispersion_one SETUP TRIALS: lines of set-up, trials, set ("": the default), GFLOP/s, for each set that can be.
dedispersion_one()
{
    local setup=$1 count=$2 folder=$out/dedispersion.plans/$1-$2 file channels rate
    file=$folder/dedispersion.json
    plans_folder "$folder"
    dedispersion_pipeline "$file" "$setup" "$count"
    plan_bare "$file" "$folder/reference"
    dedispersion_list | sed -n "${every:-1}~${every:-1}p" | sed 's/^/dd cell /' | sweep_plans "$file" "$folder"
    echo "dedispersion: $setup, $count trials" >&2
    read -r channels _ _ rate <<<"$(dedispersion_setup "$setup")"
    [ -n "$full" ] || rate=$((rate / 4))
    plans_time "$file" "$folder" "$folder/names" 60 | awk -F '\t' -v setup="$setup" -v count="$count" -v adds="$channels" -v rate="$rate" '
        $2 == "dd" { sub(/^(reference|dd cell )/, "", $1); printf "%s\t%d\t%s\t%.4g\n", setup, count, $1, adds * rate * count / $3 / 1e6 }'
    rm "$folder"/*.raw
}

# dedispersion_table TIMES: "one for all" is the set whose mean share of each number's best is largest.
dedispersion_table()
{
    awk -F '\t' '
        { k = $1 " " $2; if (!(k in n)) { order[++rows] = k; setup[rows] = $1; trials[rows] = $2; n[k] = 0 }
          if ($3 == "") { usual[k] = $4; next }
          sets[$1, $3] = 1; speed[k, $3] = $4; list[k, ++n[k]] = $4; sum[k] += $4; square[k] += $4 ^ 2
          if ($4 > best[k]) { best[k] = $4; which[k] = $3 } }
        function fixed(one, s, w, i, k, share, most, found) {
            for (s in sets) { split(s, w, SUBSEP); if (w[1] != one) continue
                share = 0
                for (i = 1; i <= rows; i++) { k = order[i]; if (setup[i] == one) share += speed[k, w[2]] / best[k] }
                if (share > most) { most = share; found = w[2] } }
            return found }
        END {
            print "| set-up | trials | default GFLOP/s | best GFLOP/s | one for all GFLOP/s | sets | best from mean | within 5 % | 10 % | the best set |"
            print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|"
            for (i = 1; i <= rows; i++) { k = order[i]; mean = sum[k] / n[k]; spread = sqrt(square[k] / n[k] - mean ^ 2); five = ten = 0
                one = fixed(setup[i])
                for (j = 1; j <= n[k]; j++) { five += list[k, j] * 1.05 >= best[k]; ten += list[k, j] * 1.1 >= best[k] }
                printf "| %s | %d | %.1f | %.1f | %.1f | %d | %.2f | %.1f | %.1f | %s |\n", setup[i], trials[i], usual[k], best[k], speed[k, one],
                    n[k], (spread > 0 ? (best[k] - mean) / spread : 0), 100 * five / n[k], 100 * ten / n[k], which[k]
                said[i] = setup[i] == setup[i - 1] ? "" : "One for all, " setup[i] ": " one "." }
            print ""
            for (i = 1; i <= rows; i++) if (said[i]) print said[i] }' "$1"
}

dedispersion_result()
{
    printf '### %s\n\n' "$2"
    machine_here
    printf 'Blocks of %s s; medians of %s rounds.\n\n' "$([ -n "$full" ] && echo 1 || echo 0.25)" "$rounds"
    dedispersion_table "$1"
}

dedispersion_json()
{
    echo '{ "order": ["GFLOP/s"], "sets": {'
    awk -F '\t' '{ printf "%s\"%s %d: %s\": [%s]", n++ ? ",\n" : "", $1, $2, $3 == "" ? "default" : $3, $4 } END { print "\n} }" }' "$1"
}

# dedispersion NAME
dedispersion()
{
    local name=$1 setup count
    [ -n "$dms" ] || dms='2 8 32 128 512'
    for setup in $setups; do
        [ -n "$(dedispersion_setup "$setup")" ] || fail "no set-up $setup; expected apertif or lofar"
    done
    for setup in $setups; do
        for count in $dms; do dedispersion_one "$setup" "$count"; done
    done >"$out/dedispersion.times"
    whole "$out/$name.md" dedispersion_result "$out/dedispersion.times" "$name"
    whole "$out/$name.json" dedispersion_json "$out/dedispersion.times"
}
