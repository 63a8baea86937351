#!/usr/bin/env bash
# gpu_test.sh: what GPUs are given, without a GPU: the kernels of every stage, written for described
# devices, are compiled by clang for AMD and NVIDIA, and by NVIDIA's ptxas where that is installed.
# What each takes of registers and memory is in tests/gpu/table.tsv: the same compiler must find the
# same again, another one about the same; and all must fit into the device. tests/gpu has
#   stages.json   a pipeline with every stage that has a kernel; it is never run
#   variants      what is set in it: a name, then arguments of `cornerturn source`
#   builtins.cl   the functions of OpenCL C that kernels call
#   table.tsv     target, variant, step, kernel; registers of a work-item, of a wavefront; bytes or
#                 registers spilled, bytes of private memory, of local memory
#   bounds.tsv    target, step, kernel; over all variants at most so many bytes of private memory; at the defaults in its
#                 hottest loop at least so much arithmetic per hundred instructions (loops.awk; of ptxas where nvdisasm is installed), and
#                 of its device's wavefronts at least such a percentage at once. A kernel without a row may have no private
#                 memory.
# UPDATE=1 writes the table and the bounds anew, to be read before they are committed.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) devices=$(pwd)/examples/devices
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The targets: how clang and ptxas are asked, and the device that the kernels are written for.
device_of() { case $1 in amdgcn) echo mi210 ;; *) echo h200 ;; esac; }
flags_of()
{
    case $1 in
    amdgcn) echo -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib ;;
    nvptx64) echo -target nvptx64-nvidia-nvcl -Xclang -target-cpu -Xclang sm_80 ;;
    esac
}

# ptxas of the toolkit is not always on the path.
ptxas=$(command -v ptxas || compgen -G '/usr/local/cuda*/bin/ptxas' | head -n 1)

nvdisasm=${NVDISASM:-$(command -v nvdisasm || compgen -G '/usr/local/cuda*/bin/nvdisasm' | head -n 1)}

[ -z "${UPDATE:-}" ] || [ -z "$ptxas" ] || [ -n "$nvdisasm" ] || { echo "UPDATE=1 needs nvdisasm, too: bounds of ptxas' loops would be lost"; exit 2; }

knows_gpus() { [ "$("$1" --print-targets 2>/dev/null | grep -cE '^ *(amdgcn|nvptx64) ')" = 2 ]; }
clang=
for name in ${CLANG:-clang $(seq -f 'clang-%g' 14 24)}; do
    command -v "$name" >/dev/null && knows_gpus "$name" && clang=$name && break
done
[ -n "$clang" ] || { echo "no clang that compiles for GPUs is installed: skipped"; exit 77; }

version_of()
{
    case $1 in
    ptxas) echo "$("$ptxas" --version | grep -oE 'V[0-9.]+' | sed 's/^V/ptxas /') of $(version_of nvptx64)" ;;
    *) "$clang" --version | grep -oE -m 1 'version [0-9.]+' | sed 's/version/clang/' ;;
    esac
}

failed=0
complain()
{
    failed=$((failed + 1))
    printf '%s\n' "$@"
}

# compile TARGET FLAGS...: as a driver would.
compile()
{
    local target=$1
    shift
    # shellcheck disable=SC2046
    "$clang" -x cl -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -O2 -w $(flags_of "$target") \
        -Xclang -finclude-default-header -Xclang -fdeclare-opencl-builtins "$@"
}

# Each prints "kernel registers scalars spills private local", a line per kernel.
of_amdgcn()
{
    awk '/^amdhsa.kernels:/ { on = 1 } /^\.\.\.|^amdhsa.target/ { put(); on = 0 }
        function put() { if (name) print name, v[".vgpr_count:"], v[".sgpr_count:"],
            v[".vgpr_spill_count:"] + v[".sgpr_spill_count:"], v[".private_segment_fixed_size:"],
            v[".group_segment_fixed_size:"]; name = "" }
        on && /^  - / { put(); sub(/^  - /, "    ") }
        on && /^    \.name:/ { name = $2 }
        on && /^    \./ { v[$1] = $2 }' "$1"
}
of_nvptx64()
{
    awk 'function bytes() { match($0, /\[[0-9]+\];/); return substr($0, RSTART + 1, RLENGTH - 3) + 0 }
        /\.entry / { name = $0; sub(/.*\.entry /, "", name); sub(/\(.*/, "", name); private = shared = 0 }
        /\.shared .*\];/ { shared += bytes() }
        /\.local .*__local_depot.*\];/ { private = bytes() }
        name && /^}/ { print name, "-", "-", "-", private, shared; name = "" }' "$1"
}
of_ptxas()
{
    "$ptxas" -v -arch=sm_90 "$1" -o "$work/out.cubin" 2>&1 | awk '
        /error|fatal/ { print > "/dev/stderr" }
        /Compiling entry function/ { split($0, word, "\x27"); name = word[2] }
        /spill stores/ { private = $1; spills = 0; for (i = 2; i <= NF; i++) if ($i == "spill") { spills = $(i - 2); break } }
        /Used [0-9]+ registers/ { local = 0; for (i = 1; i <= NF; i++) { if ($i == "registers,") registers = $(i - 1)
                if ($i ~ /^smem/) local = $(i - 2) }
            print name, registers, "-", spills, private, local }'
}

# "kernel share": arithmetic per hundred instructions of hottest loops, where that can be known.
shares_of()
{
    case $1 in
    amdgcn) awk -f "$here/loops.awk" "$2" ;;
    ptxas) [ -z "$nvdisasm" ] || "$nvdisasm" -c "$work/out.cubin" | awk -f "$here/loops.awk" ;;
    esac
}

# measure TARGET VARIANT STEP FILE: adds to the table, with the work-group's size and the share of arithmetic as last columns.
measure()
{
    local group target sum instruction
    # A library transforms, and this kernel does not run; or an earlier variant has the very same text.
    grep -qE -m 1 '\<ENGINE=(fftw|clfft)\>' "$4" && return
    sum=$(sed 1d "$4" | cksum)
    grep -qxF "$1 $3 $sum" "$work/seen" && return
    echo "$1 $3 $sum" >>"$work/seen"
    group=$(grep -oE -m 1 '\<WG=[0-9]+' "$4" | cut -d= -f2)
    if ! compile "$1" -Xclang -mlink-builtin-bitcode -Xclang "$work/$1.bc" -S -o "$work/out.s" "$4" 2>"$work/log"; then
        complain "$1, $2: step $3 does not compile:" "$(head -n 5 "$work/log")"
        return
    fi
    if [ "$1" = nvptx64 ] && grep -q '^\.extern .func' "$work/out.s"; then
        complain "step $3 calls what tests/gpu/builtins.cl lacks: $(grep -A 1 '^\.extern .func' "$work/out.s" | grep -oE '_Z[0-9A-Za-z_]+' | sort -u | tr '\n' ' ')"
        return
    fi
    if grep -qxF '#define MMA 1' "$4"; then
        instruction=$(grep -oE -m 1 'mma\.sync\.aligned\.m16n8k[0-9]+' "$4")
        grep -qF "$instruction." "$work/out.s" || complain "$1, $2: step $3 makes no products of matrices"
        touch "$work/matrices_${instruction##*k}"
    fi
    for target in "$1" $([ "$1" = nvptx64 ] && [ -n "$ptxas" ] && echo ptxas); do
        "of_$target" "$work/out.s" | sed "s/^/$target $2 $3 /; s/\$/ ${group:-1}/" >"$work/rows"
        shares_of "$target" "$work/out.s" | awk '!rows { share[$1] = $2; next } { print $0, ($4 in share) ? share[$4] : "-" }' - rows=1 "$work/rows" | tr ' ' '\t'
    done >>"$work/found"
}

# The text of every step is a file of its own.
split()
{
    rm -f "$work"/steps/*
    awk -v to="$work/steps/" '/^\/\* ==== step .* ==== \*\/$/ { file = $4; gsub(/[^A-Za-z0-9_]/, "_", file) }
        { print > (to file ".cl") }' "$1"
}

mkdir "$work/steps"
touch "$work/found" "$work/seen"
for target in amdgcn nvptx64; do
    compile "$target" -emit-llvm -c -o "$work/$target.bc" "$here/builtins.cl" || exit 1
    while IFS=$'\t' read -r variant arguments; do
        eval "set -- $arguments"
        "$CORNERTURN" source "$here/stages.json" --device "file:$devices/$(device_of "$target").json" "$@" \
            >"$work/source" 2>"$work/log" || { complain "variant $variant:" "$(cat "$work/log")"; continue; }
        cat "$work/source" >>"$work/sources"
        split "$work/source"
        for file in "$work"/steps/*.cl; do
            measure "$target" "$variant" "$(basename "$file" .cl)" "$file"
        done
    done < <(grep -v '^#' "$here/variants")
done

# Of bytes, of floats.
for products in 32 8; do [ -e "$work/matrices_$products" ] || complain "no kernel makes products of matrices by NVIDIA's tensor cores, $products at a time"; done

# A stage that is new has to be in the pipeline, and verified with a GPU's defaults.
"$CORNERTURN" info stages --json | grep -oE '"name": "[a-z]+", .*"role": "kernel"' | cut -d'"' -f4 >"$work/stages"
while read -r stage; do
    grep -q "stage $stage," "$work/sources" || complain "tests/gpu/stages.json has no stage $stage"
    grep -qE "^set\(CT_GPU_STAGES .*\<$stage\>" tests/CMakeLists.txt || complain "CT_GPU_STAGES of tests/CMakeLists.txt, which are verified as for a GPU, have no stage $stage"
done <"$work/stages"

limit() { "$CORNERTURN" info device "file:$devices/$(device_of "$1").json" | awk -v key="$2" '$1 == key { print $2 }'; }
for target in amdgcn ptxas; do
    awk -F '\t' -v target=$target -v registers="$(limit $target registers)" -v bytes="$(limit $target local_bytes)" '
        $1 == target && ($5 * $10 > registers || $9 > bytes) { print $1 ", " $2 ": kernel " $4 " of step " $3 " with " $10 \
            " work-items takes " $5 " registers each of " registers " and " $9 " bytes of local memory of " bytes }' "$work/found"
done >"$work/large"
[ -s "$work/large" ] && complain "$(cat "$work/large")"

# What of a device works at once, in percent, by registers, local memory and work-group: gfx90a has four SIMD units of 512
# registers and 8 wavefronts, and 64 KiB; sm_90 four of 16384 registers and 16 warps, and 228 KiB, 1 of which each group takes.
awk -F '\t' -v OFS='\t' '
    function up(n, by) { return int((n + by - 1) / by) * by }
    function least(a, b) { return a < b ? a : b }
    function occupancy(lanes, most, of_registers, of_local,   waves, groups) {
        waves = up($10, lanes) / lanes
        groups = least(int(of_registers / waves), of_local)
        return int(100 * least(least(groups, 32) * waves, most) / most)
    }
    $1 == "amdgcn" { at = occupancy(64, 32, 4 * least(8, int(512 / up($5 > 0 ? $5 : 1, 8))), $9 ? int(65536 / $9) : 32) }
    $1 == "ptxas" { at = occupancy(32, 64, 4 * int(16384 / up(32 * $5, 256)), int(233472 / ($9 + 1024))) }
    $1 == "nvptx64" { next }
    { key = $1 OFS $3 OFS $4
      if (!(key in private)) { share[key] = $11; waves[key] = at } # of the first variant, which is the default
      if ($8 + 0 >= private[key] + 0) private[key] = $8 }
    END { for (key in private) print key, private[key], share[key], waves[key] }' "$work/found" | sort >"$work/bounds"

targets=(amdgcn nvptx64)
[ -z "$ptxas" ] || targets+=(ptxas)
versions()
{
    local target
    for target in "$@"; do printf '# %s\t%s\n' "$target" "$(version_of "$target")"; done
}

{
    versions "${targets[@]}"
    printf '# target\tvariant\tstep\tkernel\tregisters\tscalars\tspills\tprivate\tlocal\n'
    cut -f 1-9 "$work/found" | sort
} >"$work/table"
if [ -n "${UPDATE:-}" ]; then
    cp "$work/table" "$here/table.tsv"
    {
        versions "${targets[@]}"
        printf '# target\tstep\tkernel\tprivate at most\tarithmetic per hundred instructions at least\tpercent of wavefronts at least\n'
        cat "$work/bounds"
    } >"$here/bounds.tsv"
    exit $((failed > 0))
fi

# What this compiler may not say of the kernel that the table's compiler said this of.
awk -F '\t' -v how="of tests/gpu/table.tsv" '
    function more(name, is, was, extra) { if (was != "-" && is > 1.5 * was + extra) print at ": " name " " is ", " was " " how }
    /^# [a-z0-9]+\t/ { if (FNR == NR) version[$1 $2 "was"] = $0; else same[substr($1, 3)] = version[$1 $2 "was"] == $0; next }
    /^#/ { next }
    FNR == NR { key = $1 FS $2 FS $3 FS $4; was[key] = $0; next }
    { key = $1 FS $2 FS $3 FS $4; at = $1 ", " $2 ", step " $3 ", kernel " $4; met[key] = 1
      if (!(key in was)) { print at ": not in the table"; next }
      split(was[key], old)
      if (same[$1]) { if ($0 != was[key]) print at ": registers, scalars, spills, private, local are " \
            $5 " " $6 " " $7 " " $8 " " $9 ", were " old[5] " " old[6] " " old[7] " " old[8] " " old[9] }
      else { more("registers", $5, old[5], 16); more("spills", $7, old[7], 64); more("private bytes", $8, old[8], 256)
             more("local bytes", $9, old[9], 0) } }
    END { for (key in was) { split(key, old); if ((old[1] in same) && !(key in met))
        print old[1] ", " old[2] ", step " old[3] ", kernel " old[4] ": no longer there" } }
' "$here/table.tsv" "$work/table" >"$work/differs"
[ -s "$work/differs" ] && complain "$(cat "$work/differs")" \
    "if this is meant: UPDATE=1 CORNERTURN=build/cornerturn bash tests/gpu/gpu_test.sh, and commit tests/gpu/table.tsv"

# The bounds hold for the compiler that they were made with.
for target in "${targets[@]}"; do
    grep -qxF "$(versions "$target")" "$here/bounds.tsv" || { sed -i "/^$target\t/d" "$work/bounds"; echo "the bounds are of another compiler than $(version_of "$target")"; }
done
awk -F '\t' '
    /^#/ { next }
    FNR == NR { private[$1, $2, $3] = $4; share[$1, $2, $3] = $5; waves[$1, $2, $3] = $6; next }
    function passed(what, is, bound) { print $1 ", step " $2 ", kernel " $3 ": " what " " is ", bound " bound + 0 " of tests/gpu/bounds.tsv" }
    { if ($4 > private[$1, $2, $3] + 0) passed("private bytes are", $4, private[$1, $2, $3])
      if ($5 != "-" && $5 + 0 < share[$1, $2, $3] + 0) passed("arithmetic per hundred instructions of the hottest loop is", $5, share[$1, $2, $3])
      if ($6 + 0 < waves[$1, $2, $3] + 0) passed("percent of wavefronts at once is", $6, waves[$1, $2, $3]) }
' "$here/bounds.tsv" "$work/bounds" >"$work/passed"
[ -s "$work/passed" ] && complain "$(cat "$work/passed")"
echo "$(wc -l <"$work/found") kernels, $(version_of clang)${ptxas:+; $(version_of ptxas)}"
exit $((failed > 0))
