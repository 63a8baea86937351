#!/usr/bin/env bash
# bench_test.sh: the verb bench as a person uses it: tables, the file, exit codes; of stages, and of a
# pipeline's plans.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "bench: $1" >&2; exit 1; }

[ -x "$CORNERTURN" ] || { echo 'skipped: no command was built'; exit 77; }
"$CORNERTURN" info devices >/dev/null 2>&1 || { echo 'skipped: no OpenCL device'; exit 77; }

"$CORNERTURN" bench dedisp --size small --rounds 1 --budget 0 --layouts \
    --json "$folder/measured.json" >"$folder/table.md"
grep -q '^| fma_f32 | [0-9]' "$folder/table.md" || fail 'no limits in the table'
grep -q '^| dedisp f32 CT > DT ' "$folder/table.md" || fail 'no stage in the table'
[ "$(grep -cE '^\| (CT|TC) \| (DT|TD) \| [0-9]' "$folder/table.md")" -eq 4 ] ||
    fail 'expected two read and two write layouts'
grep -q 'WRONG' "$folder/table.md" && fail 'tunables change what is written'
grep -q '"stages": \[' "$folder/measured.json" || fail 'no measurements in the file'
[ ! -e "$folder/measured.json.part" ] || fail 'a partial file is left'

# expect CODE WORDS arguments..: the exit code, and what the sentence must hold.
expect() {
    local code=0 want=$1 words=$2
    shift 2
    "$CORNERTURN" bench "$@" >"$folder/out" 2>"$folder/err" || code=$?
    [ "$code" -eq "$want" ] || fail "'$*': expected exit code $want, found $code"
    grep -qF -- "$words" "$folder/err" || fail "'$*': expected \"$words\", found: $(cat "$folder/err")"
}
expect 2 'did you mean "small"?' --size smal
expect 2 'did you mean "transpose"?' transpos --size small
expect 2 'expected 1 to 99 rounds, found 0' --rounds 0
expect 2 'port X cannot have layout CX' dedisp --size small --budget 0 --read CX
expect 3 'no tunable "VECTOR_U"; did you mean "VECTOR_T"?' dedisp --size small --set VECTOR_U=8
expect 3 'expected one of' dedisp --size small --set VECTOR_T=seven
expect 2 'expected --set NAME=VALUE, found "VECTOR_T"' dedisp --size small --set VECTOR_T

expect 2 'expected counts from 1 to 1024, such as 3,61-63, found "3,,5"' --size small --ragged --counts 3,,5
expect 2 'found "9-3"' --size small --ragged --counts 9-3
expect 2 '--counts is for --ragged' --size small --counts 3
expect 2 '--ragged compares default tunables only, without --budget' --size small --ragged --budget 0

"$CORNERTURN" bench dedisp --size small-odd --rounds 1 --budget 0 --json "$folder/odd.json" >/dev/null
grep -q '"extents": "T=[0-9]*[13579] C=[0-9]*[13579]"' "$folder/odd.json" || fail 'the odd twin has even counts'
"$CORNERTURN" bench dedisp --size small --rounds 1 --ragged --counts 7,19 --write DT >"$folder/table.md"
[ "$(grep -cE '^\| dedisp f32 (CT|TC) > DT \| [CD] \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| (7|19) \| [012] of 2 \|$' \
    "$folder/table.md")" -eq 4 ] || fail "not two dimensions at two layouts: $(cat "$folder/table.md")"
grep -qE '^[0-8] of 8 above 1\.05; the worst is [0-9.]+: dedisp ' "$folder/table.md" || fail 'the worst is not said'
"$CORNERTURN" bench correlator --size small --rounds 1 --ragged --counts 33 --read CTSP --write TCLQ >"$folder/table.md" ||
    fail 'a count that the stage does not take ends it'
grep -q '| S |' "$folder/table.md" && ! grep -q '| P |' "$folder/table.md" || fail 'not the stations, without 33 polarizations'

"$CORNERTURN" bench dedisp --size small --rounds 1 --read TC --write TD --set VECTOR_T=8 >"$folder/table.md"
grep -q '^| dedisp f32 TC > TD .*VECTOR_T=8 ' "$folder/table.md" || fail 'layouts and tunables are not as asked'

# Plans of a pipeline, whose sink is not touched.
head -c 163840 /dev/zero >"$folder/v.raw"
cat >"$folder/p.json" <<'END'
{ "cornerturn": 1, "block": { "T": 4096 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "TPC", "type": "ci8", "sizes": { "P": 2, "C": 5 },
         "sample_time_s": 1e-6 },
  "power": { "stage": "detect", "input": "v" },
  "out": { "stage": "sink.npy", "input": "power", "file": "out.npy" } } }
END
"$CORNERTURN" explain "$folder/p.json" --save "$folder/plan.json" >/dev/null
sed -i 's/"X": "TPC"/"X": "PTC"/' "$folder/plan.json"
"$CORNERTURN" bench "$folder/p.json" --plan default --plan "$folder/plan.json" --rounds 3 --processes 2 \
    --json "$folder/plans.json" >"$folder/table.md"
grep -qF '| plan | block | seconds per block | per second of signal | of default | 95 % |' "$folder/table.md" || fail "no head: $(cat "$folder/table.md")"
grep -qE '^\| default \| 4096 \| [0-9.e-]+ \| [0-9.e+-]+ \| 1\.0000 \| - \|$' "$folder/table.md" || fail "no first plan: $(cat "$folder/table.md")"
grep -qE "^\| $folder/plan.json \| 4096 \| [0-9.e-]+ \| [0-9.e+-]+ \| [0-9.]+ \| [0-9.]+ to [0-9.]+ \|\$" "$folder/table.md" ||
    fail "no second plan: $(cat "$folder/table.md")"
grep -qF 'Medians of 3 interleaved rounds in each of 2 processes.' "$folder/table.md" || fail 'rounds and processes are not said'
grep -qE '^\| power \| [A-Z]+ > [A-Z]+ \| [0-9.e-]+ \| [0-9.e-]+ \| [A-Z]+ > [A-Z]+ \| [0-9.e-]+ \| [0-9.e-]+ \| [0-9.]+ \|$' "$folder/table.md" ||
    fail "no line for a step: $(cat "$folder/table.md")"
[ "$(sed -n '/^| step |/,$s/^| \([^|]*\) |.*/\1/p' "$folder/table.md" | tr '\n' ',')" = 'step,v,v>PTC,power,out,transposes, together,steps, together,block,' ] ||
    fail "steps in another order: $(cat "$folder/table.md")"
grep -qE '^\| v>PTC \|  \|  \|  \| TPC > PTC \| [0-9.e-]+ \|  \|  \|$' "$folder/table.md" || fail "no transpose: $(cat "$folder/table.md")"
[ "$(grep -cE '^\| (steps, together|block) \|  \| [0-9.e-]+ \|  \|  \| [0-9.e-]+ \|  \| [0-9.]+ \|$' "$folder/table.md")" -eq 2 ] ||
    fail "no sums of the steps: $(cat "$folder/table.md")"
[ "$(grep -o '"wall": \[[^]]*\]' "$folder/plans.json" | grep -cE '^[^,]*(, *[^,]*){2}$')" -eq 4 ] || fail 'expected 4 times 3 blocks'
[ "$(grep -o '"name": "power"' "$folder/plans.json" | wc -l)" -eq 4 ] || fail 'expected the steps of every plan'
[ ! -e "$folder/out.npy" ] && [ -z "$(find "$folder" -name '*.part*')" ] || fail 'a rehearsal has written the sink'

# Plans with other blocks are compared per second of signal, and per sample where there is no time; so are steps.
sed 's/"block": { "T": 4096 }, //' "$folder/p.json" >"$folder/any.json"
"$CORNERTURN" explain "$folder/any.json" --save "$folder/any.plan" >/dev/null
sed 's/"block": { "T": [0-9]* }/"block": { "T": 512 }/' "$folder/any.plan" >"$folder/short.plan"
sed 's/"block": { "T": [0-9]* }/"block": { "T": 4096 }/' "$folder/any.plan" >"$folder/long.plan"
# compared UNIT FACTOR: numbers of the second plan from those of the first table and the file.
compared() {
    "$CORNERTURN" bench "$folder/any.json" --plan "$folder/long.plan" --plan "$folder/short.plan" --rounds 1 --processes 1 \
        --json "$folder/blocks.json" >"$folder/table.md" || fail 'blocks of two lengths'
    grep -qF "| $1 | of $folder/long.plan |" "$folder/table.md" || fail "expected times $1: $(cat "$folder/table.md")"
    grep -qF "| $2 | GFLOP/s |" "$folder/table.md" || fail "expected times of steps in $2: $(cat "$folder/table.md")"
    awk -F' *[|] *' -v factor="$3" '
        function differ(a, b) { return a > b * 1.01 || a < b / 1.01 }
        $3 == 4096 { long = $4 / 4096; if (differ($5, long * factor)) exit 1 }
        $3 == 512 { short = $4 / 512; if (differ($5, short * factor) || differ($6, short / long)) exit 1; seen = 1 }
        $2 == "block" && differ($(NF - 1), short / long) { exit 1 }
        END { exit !seen }' "$folder/table.md" || fail "blocks of two lengths: $(cat "$folder/table.md")"
}
compared 'per second of signal' ms/s 1e6
grep -qE '"samples": 512, "signal_s": 0\.000512' "$folder/blocks.json" || fail 'the file does not say how long a block is'
tr '\n' ' ' <"$folder/any.json" | sed 's/, *"sample_time_s": 1e-6//' >"$folder/one.json" && mv "$folder/one.json" "$folder/any.json"
compared 'ns per sample' ns/sample 1e9
expect 5 'nofile.json: cannot be read' nofile.json
expect 5 'nofile: cannot be read' "$folder/p.json" --plan nofile
expect 3 'no plan is stored for it' "$folder/p.json" --plan stored
expect 2 '--rounds: expected 1 to 99, found 100' "$folder/p.json" --rounds 100
expect 2 '--processes: expected 1 to 64, found 0' "$folder/p.json" --processes 0
expect 2 '--size is for stages, and this is a pipeline' "$folder/p.json" --size small
expect 2 "--plan is for a pipeline's file, and this is none: dedisp" dedisp --plan default
expect 2 "--plan is for a pipeline's file" --plan default
expect 3 'has no parameter "integrat"' "$folder/p.json" --set power.integrat=2
printf '{"cornerturn_plan": 2, "block": {"T": 17}, "nodes": {}}' >"$folder/wrong.json"
expect 3 'wrong.json' "$folder/p.json" --plan default --plan "$folder/wrong.json"
