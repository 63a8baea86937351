#!/usr/bin/env bash
# passes_test.sh: how often kernels go over their arrays as a GPU gets them: the bytes of memory that each stage of
# tests/gpu/passes.json loads and stores in a block, as Oclgrind counts them, over the bytes of its arrays and tables; no cache
# is counted. 1 is each byte once. No more than tests/gpu/passes.tsv says; UPDATE=1 writes that anew, to be read before it is
# committed. Left out are fft (see oclgrind_test.sh), pulses and transpose; beamdetect has the beam former's kernel.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
for tool in oclgrind python3; do command -v $tool >/dev/null || { echo "$tool is not installed: skipped"; exit 77; }; done
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) devices=$(pwd)/examples/devices
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
sed 's/"accepts": .*/"accepts": [] }/' "$devices/h200.json" >gpu.json # Oclgrind does not survive inline assembly
head -c $((2 * 8 * 2 * 4096)) /dev/zero | tr '\0' '\5' >v.raw
cp "$here/passes.json" .

oclgrind --local-mem-size 49152 --build-options "-Drestrict= -Dalways_inline= -D__builtin_prefetch=(void)" --inst-counts \
    "$CORNERTURN" run passes.json --quiet --plan default --device as:gpu.json >counts 2>&1 || { tail -n 20 counts; exit 1; }
"$CORNERTURN" explain passes.json --json --plan default --device file:gpu.json >explained || exit 1

# A kernel's name is its stage's, perhaps with more behind "_". It has run as often as there are paragraphs of it, once a block.
awk '/^Instructions executed for kernel/ { split($5, word, "\x27"); kernel = word[2]; runs[kernel]++ }
    / (load|store) global / && match($0, /\([0-9]+ bytes/) { bytes[kernel] += substr($0, RSTART + 1, RLENGTH - 7) }
    END { for (kernel in runs) { stage = kernel; sub(/_.*/, "", stage); all[stage] += bytes[kernel] / runs[kernel] }
          for (stage in all) printf "%s\t%d\n", stage, all[stage] }' counts | sort >bytes
python3 - <<'END' | sort >arrays || exit 1
import json
for step in json.load(open("explained"))["steps"]:
    print(step["stage"], sum(port["bytes"] for port in step["ports"] if port["direction"] != "scratch"), sep="\t")
END
{
    printf '# stage\tpasses at most: bytes that its kernels load and store over those of its arrays and tables\n'
    join -t $'\t' bytes arrays | awk -F '\t' '{ printf "%s\t%.2f\n", $1, $2 / $3 }'
} >passes
[ "$(grep -vc '^#' passes)" -ge 12 ] || { cat passes; echo "failed: fewer than 12 stages were counted"; exit 1; }
[ -z "${UPDATE:-}" ] || { cp passes "$here/passes.tsv"; exit; }
awk -F '\t' '/^#/ { next } FNR == NR { bound[$1] = $2; next }
    !($1 in bound) { print "stage " $1 " has no row in tests/gpu/passes.tsv: " $2; bad = 1; next }
    { met[$1] = 1 }
    $2 > bound[$1] { print "stage " $1 " goes " $2 " times over its arrays, bound " bound[$1] " of tests/gpu/passes.tsv"; bad = 1 }
    END { for (stage in bound) if (!(stage in met)) { print "stage " stage " was not counted"; bad = 1 }
          exit bad }' "$here/passes.tsv" passes
