# dedispersion.sh: of run.sh: the speed of dedispersion against the number of trials, as in Sclocco et
# al. 2014 and 2016, for the set-ups of tuner/bench/workload_sizes.c. Sourced.

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

# dedispersion_row SETUP DMS BENCH REPORT: of the tables that these printed, what concerns the step "dd".
dedispersion_row()
{
    awk -F' *[|] *' -v setup="$1" -v dms="$2" -v complete="$(of_tuned complete "$plan")" '
        FNR == NR && $2 == "dd" { usual = $5; tuned = $8; ratio = $9 }
        FNR != NR && $2 == "dd" { count = $3; away = $7; one = $8; five = $9; ten = $10 }
        END { printf "| %s | %d | %s | %s | %.2f | %d%s | %s | %s | %s | %s |\n", setup, dms, usual, tuned, 1 / ratio, count,
                     complete == "true" ? "" : ", cut off", away, one, five, ten }' "$3" "$4"
}

dedispersion_one()
{
    local setup=$1 count=$2 file=$out/dedispersion-$1-$2.json
    plan=$out/dedispersion-$1-$2.plan.json
    dedispersion_pipeline "$file" "$setup" "$count"
    rm -f "$plan" "$plan.journal"
    echo "dedispersion: $setup, $count trials, $seconds s" >&2
    "$cornerturn" tune "$file" -o "$plan" --budget "$seconds" >&2
    "$cornerturn" bench "$file" --plan default --plan "$plan" --rounds "$rounds" --processes "$processes" \
        --json "$plan.bench.json" >"$plan.bench"
    "$cornerturn" report "$plan.journal" --md "$plan.md" --costs "$plan.costs"
    dedispersion_row "$setup" "$count" "$plan.bench" "$plan.md" >>"$out/dedispersion.rows"
    sed "s|$plan|tuned|g; s|$out/||g" "$plan.bench.json" | tr -d '\n' | sed "s|^|\"$setup $count\": |; s|\$|,\n|" >>"$out/dedispersion.all"
    rm -f "${file%.json}-power.raw" "$plan.bench" "$plan.bench.json" "$plan.md"
}

# dedispersion_table NAME PLAN SECONDS
dedispersion_table()
{
    printf '### %s\n\n%s Each tuned within %s s.\n\n' "$1" "$(machine "$2")" "$3"
    echo '| set-up | trials | default GFLOP/s | tuned GFLOP/s | gain | candidates | best from mean | within 1 % | 5 % | 10 % |'
    echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
    cat "$out/dedispersion.rows"
}

dedispersion_all() { echo '{' && sed '$s/,$//' "$out/dedispersion.all" && echo '}'; }

# dedispersion NAME
dedispersion()
{
    local name=$1 plan seconds=${budget:-25}
    [ -z "$full" ] || seconds=${budget:-60}
    [ -n "$dms" ] || dms='2 8 32 128 512 2048'
    [ -z "$full" ] || [ "$dms" != '2 8 32 128 512 2048' ] || dms='2 4 8 16 32 64 128 256 512 1024 2048 4096'
    rm -f "$out/dedispersion.rows" "$out/dedispersion.all"
    for setup in $setups; do
        [ -n "$(dedispersion_setup "$setup")" ] || fail "no set-up $setup; expected apertif or lofar"
        for count in $dms; do
            dedispersion_one "$setup" "$count"
        done
    done
    whole "$out/$name.md" dedispersion_table "$name" "$plan" "$seconds"
    whole "$out/$name.json" dedispersion_all
    rm -f "$out/dedispersion.rows" "$out/dedispersion.all"
}
