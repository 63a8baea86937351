# thesis.sh: of run.sh: how many combinations of layouts there are to choose from. Sourced.

# "fir 6 24": of each step with a choice on both sides, how many layouts it reads and writes.
thesis_layouts()
{
    "$cornerturn" tune "$here/$1.json" --dry-run |
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
    cells=$("$cornerturn" tune "$here/$1.json" --dry-run | grep 'cells to measure')
    printf '\n`%s.json`:\n\n' "$1"
    thesis_table <<<"$layouts"
    printf '\nOne by one that is %s, with tunables.\n' "$cells"
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
