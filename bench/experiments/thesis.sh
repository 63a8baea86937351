# thesis.sh: of run.sh: how many combinations of layouts there are to choose from, for a device that need not be there:
# which tunables are legal depends on it. Sourced.

thesis_dry() { "$cornerturn" tune "$here/$1.json" --dry-run --device file:examples/devices/xeon.json; }

# thesis_plans NAME: with tunables, as 3 x 10^28: the count is an estimate.
thesis_plans() { thesis_dry "$1" | sed -nE 's/.*cells to measure; (about )?([0-9.e+]+) plans.*/\2/p' | awk '{ split(sprintf("%.0e", $1), w, /e[+]?/); print w[1] " x 10^" w[2] + 0 }'; }

# "fir 6 24": of each step with a choice on both sides, how many layouts it reads and writes.
thesis_layouts()
{
    thesis_dry "$1" |
        sed -nE 's/^([a-z]+) +reads X in ([0-9]+) layouts? +writes Y in ([0-9]+) layouts?.*/\1 \2 \3/p'
}

# Polarization keeps its place, so that 4! orders are 3!; the FFT's channels, which are transformed,
# do, too; what comes in is as it is; visibilities have their products last already.
thesis_table()
{
    awk '
        BEGIN { print "| step | reads | writes | reads, held | writes, held |"; print "|---|---:|---:|---:|---:|"
                split("1 4 fir 12 12 fft 4 4 beams 4 1 vis", w, " "); all = held = 1
                for (i = 1; i < 12; i += 3) { read[w[i + 2]] = w[i]; write[w[i + 2]] = w[i + 1] } }
        { reads = $1 == "fir" ? 1 : $2 / read[$1]; writes = $3 / write[$1]
          printf "| %s | %d | %d | %d | %d |\n", $1, $2, $3, reads, writes
          all *= $2 * $3; held *= reads * writes }
        END { printf "| together | | %.0f | | %.0f |\n", all, held }'
}

thesis_one()
{
    local layouts cells
    layouts=$(thesis_layouts "$1")
    cells=$(thesis_dry "$1" | grep -o '^[0-9]* cells to measure')
    printf '\n`%s.json`:\n\n' "$1"
    thesis_table <<<"$layouts"
    printf '\nOne by one that is %s; with tunables some %s plans.\n' "$cells" "$(thesis_plans "$1")"
}

thesis_result()
{
    printf '### thesis\n'
    thesis_one pipeline1
    thesis_one pipeline2
}

thesis()
{
    local one two
    whole "$out/thesis.md" thesis_result
    one=$(thesis_layouts pipeline1 | thesis_table | sed -nE 's/^\| together .* ([0-9]+) \|$/\1/p')
    two=$(thesis_layouts pipeline2 | thesis_table | sed -nE 's/^\| together .* ([0-9]+) \|$/\1/p')
    whole "$out/thesis.json" echo "{ \"pipeline1\": $one, \"pipeline2\": $two }"
}
