# transposes.sh: of run.sh: transposes from every layout to one, and from one to every, against the distance of the two
# layouts, for each machine whose table bench/run.sh has made. Sourced.

# transposes_lines TABLE.json: of "transpose": from, to, distance, time as a multiple of a copy of as many bytes.
transposes_lines()
{
    sed -n '/"name": "transpose"/,$p' "$1" | sed '/"name": "transpose"/!{ /"name": /,$d; }' |
        grep -oE '"read": "[A-Z]+", "write": "[A-Z]+", "default": \{"seconds": [0-9.e-]+, "of_fma": [0-9.]+, "of_copy": [0-9.]+' |
        awk -F '"' '
            { distance = 0
              for (i = 1; i <= length($4); i++) { d = i - index($8, substr($4, i, 1)); distance += d < 0 ? -d : d }
              share = $0; sub(/.*: /, "", share)
              if (!seen[$4 $8]++ && distance > 0) printf "%s\t%s\t%d\t%.3f\n", $4, $8, distance, 1 / share }'
}

# The processor of the table beside it.
transposes_machine() { sed -nE 's/^- Model name: *//p' "${1%.json}.md" | head -n 1; }

transposes_distance()
{
    local table
    echo '| machine | distance | transposes | least | median | most |'
    echo '|---|---:|---:|---:|---:|---:|'
    for table; do
        transposes_lines "$table" | sort -t "$(printf '\t')" -k 3n -k 4n | awk -F '\t' -v machine="$(transposes_machine "$table")" '
            function row() { if (n) printf "| %s | %d | %d | %.2f | %.2f | %.2f |\n", machine, far, n, v[1], (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2, v[n] }
            $3 != far { row(); n = 0; far = $3 } { v[++n] = $4 } END { row() }'
    done
}

# Of two transposes with other distances: how often the nearer one is the faster.
transposes_order()
{
    local table
    for table; do
        transposes_lines "$table" | awk -F '\t' -v machine="$(transposes_machine "$table")" '
            { n++; far[n] = $3; price[n] = $4
              for (i = 1; i < n; i++) if (far[i] != $3) { pairs++; right += (far[i] - $3) * (price[i] - $4) > 0 } }
            END { printf "%s: of two transposes with other distances the nearer one is the faster in %.0f %%.\n", machine, 100 * right / pairs }'
    done
}

# To one layout, from each of the others: a row each, machines beside each other.
transposes_each()
{
    local table head='| from | distance' rule='|---|---:' to
    to=$(transposes_lines "$1" | cut -f 2 | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
    for table; do head+=" | $(transposes_machine "$table")" rule+='|---:'; done
    printf 'To %s, as multiples of a copy:\n\n%s |\n%s|\n' "$to" "$head" "$rule"
    for table; do transposes_lines "$table"; done | awk -F '\t' -v to="$to" '
        $2 == to { if (!($1 in far)) order[++n] = $1; far[$1] = $3; row[$1] = row[$1] " | " $4 }
        END { for (d = 2; d <= 8; d += 2) for (i = 1; i <= n; i++) if (far[order[i]] == d) printf "| %s | %d%s |\n", order[i], d, row[order[i]] }'
}

transposes_result()
{
    printf '### transposes\n\nOf `%s`: 64 stations, 256 channels, 768 times, 2 polarizations, cf32, default tunables.\n\n' "${*// /\` and \`}"
    transposes_distance "$@"
    printf '\n'
    transposes_order "$@"
    printf '\n'
    transposes_each "$@"
}

transposes_json()
{
    local table
    echo '{ "order": ["distance", "of a copy"], "transposes": {'
    for table; do
        transposes_lines "$table" | awk -F '\t' -v table="$(basename "$table" .json)" '{ printf "\"%s %s>%s\": [%d, %s],\n", table, $1, $2, $3, $4 }'
    done | sed '$s/,$//'
    echo '} }'
}

# transposes NAME
transposes()
{
    local list
    read -r -a list <<<"${tables:-bench/results/TABLE.json bench/results/ZEN5.json}"
    whole "$out/$1.md" transposes_result "${list[@]}"
    whole "$out/$1.json" transposes_json "${list[@]}"
}
