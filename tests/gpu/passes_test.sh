#!/usr/bin/env bash
# passes_test.sh: how often kernels go over their arrays as a GPU gets them: the bytes of memory that each stage of
# tests/gpu/passes.json loads and stores in a block, as Oclgrind counts them, over the bytes of its arrays and tables; no cache
# is counted. 1 is each byte once. And how neighbouring work-items' addresses lie to each other, where Oclgrind's headers and a C++
# compiler are there: the sectors that loads and stores touch over the fewest that would do (sectors.cc). No more than
# tests/gpu/passes.tsv says; UPDATE=1 writes that anew, to be read before it is committed.
# Left out are fft (see oclgrind_test.sh), pulses and transpose; beamdetect has the beam former's kernel.
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

# The plugin counts known accesses first.
plugin=()
export SECTORS_FILE=$work/sectors
llvm=$(ldd "$(command -v oclgrind-kernel)" | sed -nE 's/.*libLLVM-([0-9]+).*/\1/p' | head -n 1) # whose headers Oclgrind's include
headers=(-isystem "$("llvm-config-$llvm" --includedir 2>/dev/null)")
if echo '#include <oclgrind/Kernel.h>' | g++ "${headers[@]}" -x c++ -fsyntax-only - 2>/dev/null; then
    g++ -std=c++17 -O2 -Wall -Wextra -Werror -fno-rtti -shared -fPIC "${headers[@]}" -o sectors.so "$here/sectors.cc" || exit 1
    plugin=(--plugins "$work/sectors.so")
    cat >known.cl <<'END'
kernel void known(global const float *x, global float4 *y, global int *z)
{
    const int i = get_global_id(0);
    y[i] = x[8 * i] - x[8 * i + 1]; /* 64 loads of 8 bytes, a sector each; 1024 bytes stored side by side */
    if (i % 2) z[i / 64] = i;       /* one place, for each of two times 32 neighbours */
}
END
    printf '%s\n' known.cl known '64 1 1' '64 1 1' '<size=2048 fill=0>' '<size=1024 fill=0>' '<size=4 fill=0>' >known.sim
    oclgrind-kernel "${plugin[@]}" known.sim || exit 1
    printf 'known\tload\t64\t16\nknown\tstore\t34\t34\n' | cmp - sectors || { cat sectors; exit 1; }
    rm sectors
else
    echo "Oclgrind's headers (liboclgrind-dev, llvm-$llvm-dev) or g++ are not installed: sectors are not counted"
fi

oclgrind "${plugin[@]}" --local-mem-size 49152 --build-options "-Drestrict= -Dalways_inline= -D__builtin_prefetch=(void)" --inst-counts \
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
# stage, sectors of its loads over the fewest, and of its stores
touch sectors
awk -F '\t' '{ stage = $1; sub(/_.*/, "", stage); all[stage]; touched[stage, $2] += $3; fewest[stage, $2] += $4 }
    function over(stage, what) { return fewest[stage, what] ? sprintf("%.2f", touched[stage, what] / fewest[stage, what]) : "-" }
    END { for (stage in all) printf "%s\t%s\t%s\n", stage, over(stage, "load"), over(stage, "store") }' sectors | sort >lying
{
    printf '# stage\tpasses at most: bytes that its kernels load and store over those of its arrays and tables'
    printf '\tsectors that loads touch over the fewest, at most\tstores\n'
    join -t $'\t' bytes arrays | awk -F '\t' '{ printf "%s\t%.2f\n", $1, $2 / $3 }' |
        join -t $'\t' -a 1 -e - -o 0,1.2,2.2,2.3 - lying
} >passes
[ "$(grep -vc '^#' passes)" -ge 12 ] || { cat passes; echo "failed: fewer than 12 stages were counted"; exit 1; }
[ ${#plugin[@]} -eq 0 ] || awk -F '\t' '!/^#/ && $3 == "-" { print "sectors of stage " $1 " were not counted"; bad = 1 } END { exit bad }' passes || exit 1
[ -z "${UPDATE:-}" ] || { cp passes "$here/passes.tsv"; exit; }
awk -F '\t' '/^#/ { next } FNR == NR { for (k = 2; k <= 4; k++) bound[$1, k] = $k; stages[$1]; next }
    BEGIN { what[2] = "goes %s times over its arrays"; what[3] = "loads %s times as many sectors as would do"
            what[4] = "stores %s times as many sectors as would do" }
    !($1 in stages) { print "stage " $1 " has no row in tests/gpu/passes.tsv: " $2 ", " $3 ", " $4; bad = 1; next }
    { met[$1]
      for (k = 2; k <= 4; k++)
          if ($k != "-" && $k + 0 > bound[$1, k] + 0) {
              printf "stage %s " what[k] ", bound %s of tests/gpu/passes.tsv\n", $1, $k, bound[$1, k]
              bad = 1
          } }
    END { for (stage in stages) if (!(stage in met)) { print "stage " stage " was not counted"; bad = 1 }
          exit bad }' "$here/passes.tsv" passes
