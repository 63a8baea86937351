# sweep.sh: of run.sh: one step's tunables at a time, the rest of the pipeline as it is: cell shape and size, work-groups,
# memory, as in chapter 5 of Kis 2013. Sourced.

# sweep_list: node, what is looked at, and the tunables, of which a node gives the others their defaults.
sweep_list()
{
    local a b
    for a in 1 2 4 8 16; do for b in 1 2 4 8; do echo "fir cell CELL_T=$a VECTOR_C=$b TILE_T=16"; done; done
    for a in 1 16 64; do echo "fir group WG=$a VECTOR_C=1 PREFETCH=0 NONTEMPORAL=0"; done
    for a in 0 1; do for b in 0 1 2 4; do echo "fir memory NONTEMPORAL=$a PREFETCH=$b"; done; done
    for a in 1 2 4 8 16; do for b in 1 2; do echo "fft cell TILE_S=$a TILE_P=$b VECTOR_C=16"; done; done
    for a in 0 1; do for b in 0 1 2; do echo "fft memory NONTEMPORAL=$a PREFETCH=$b"; done; done
    for a in 1 2 3 4 5; do for b in 1 2 4; do echo "beams cell CELL_B=$a VECTORS_TP=$b"; done; done
    for a in 1 2 4 8; do echo "beams group WG=64 VECTOR_TP=2 VECTORS_TP=4 CELL_B=$a TILE_T=32 CELLS_B=8 TILES_T=1 WRITES_B=1 TILE_C=1 WRITE_C=1 PARTS_T=1 NONTEMPORAL=0 PREFETCH=0"; done
    for a in 0 1; do for b in 0 1; do echo "beams memory NONTEMPORAL=$a PREFETCH=$b"; done; done
    for a in 8 16 32; do echo "beams memory TILE_T=$a"; done
    for a in 2 4; do for b in 1 2 4; do echo "vis cell CELL_SP=$a VECTORS_SP=$b VECTOR_SP=8"; done; done
    for a in 2 4; do for b in 1 2 4; do echo "vis cell CELL_SP=$a VECTORS_SP=$b VECTOR_SP=4"; done; done
    for a in 64 256; do echo "vis group WG=$a VECTOR_SP=2 VECTORS_SP=4 CELL_SP=8 TILE_T=16 TILE_C=1 CELLS_SP=1 PREFETCH=0"; done
    for a in 32 64 128 256; do for b in 0 1; do echo "vis memory TILE_T=$a PREFETCH=$b"; done; done
}

# sweep_plans FILE FOLDER: those of the list that can be: FOLDER/1, .. and their names.
sweep_plans()
{
    local file=$1 folder=$2 at=0 node kind what
    : >"$folder/names"
    while read -r node kind what; do
        plan_but "$folder/reference" "$node.${what// /; $node.}" >"$folder/$((at + 1))"
        if ! "$cornerturn" explain "$file" --plan "$folder/$((at + 1))" >/dev/null 2>&1; then continue; fi
        at=$((at + 1))
        echo "$node $kind $what" >>"$folder/names"
    done
}

# A row for each node and kind: how many values, the default's time, and the best and the worst, as ratios to it.
sweep_table()
{
    echo '| step | tunables | sets | default ms | best | worst | the best set |'
    echo '|---|---|---:|---:|---:|---:|---|'
    awk -F '\t' '
        $1 == "reference" { ms[$2] = $3; share[$2] = $4; next }
        { split($1, w, " "); if ($2 != w[1]) next
          k = w[1] " " w[2]; if (!(k in n)) { order[++kinds] = k; step[k] = w[1]; kind[k] = w[2] }
          r = $4 / share[$2]; what = $1; sub(/^[^ ]* [^ ]* /, "", what)
          if (!n[k]++ || r < best[k]) { best[k] = r; set[k] = what } if (r > most[k]) most[k] = r }
        END { for (i = 1; i <= kinds; i++) { k = order[i]
            printf "| %s | %s | %d | %.4g | %.3f | %.2f | %s |\n", step[k], kind[k], n[k], ms[step[k]], best[k], most[k], set[k] } }' "$1"
}

sweep_result()
{
    printf '### %s\n\n' "$2"
    machine_here
    printf '`pipeline2%s.json`, layouts `fir` SPT>SPTC, `fft` SPTC>CTSP, `beams` CTSP>CTBP, `vis` CTBP>TCLQ; the other\ntunables at their defaults. Medians of %s rounds.\n\n' "$small" "$rounds"
    sweep_table "$1/times.all"
}

sweep_json()
{
    printf '{ "order": ["ms", "of the reference'"'"'s step"], "sets": {\n'
    awk -F '\t' '
        $1 == "reference" && $2 in share { next }
        $1 == "reference" { share[$2] = $4; printf "%s\"%s default\": [%s, 1]", n++ ? ",\n" : "", $2 == "" ? "block" : $2, $3; next }
        { split($1, w, " ") } $2 == w[1] { printf ",\n\"%s\": [%s, %.4f]", $1, $3, $4 / share[$2] } END { print "\n} }" }' "$1"
}

# sweep NAME
sweep()
{
    local name=$1 folder=$out/$1.plans most=60 file=$here/pipeline2$small.json
    [ -z "$full" ] || most=10
    plans_folder "$folder"
    plan_bare "$file" "$folder/usual" fft.fuse=false
    plan_but "$folder/usual" "fir.Y=SPTC; fft.X=SPTC; fft.Y=CTSP; beams.X=CTSP; beams.Y=CTBP; vis.X=CTBP; vis.Y=TCLQ" >"$folder/reference"
    sweep_list | sed -n "${every:-1}~${every:-1}p" | sweep_plans "$file" "$folder"
    plans_time "$file" "$folder" "$folder/names" "$most" >"$folder/times.all"
    whole "$out/$name.md" sweep_result "$folder" "$name"
    whole "$out/$name.json" sweep_json "$folder/times.all"
}
