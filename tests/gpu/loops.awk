# loops.awk: "kernel SHARE" for each kernel of an assembly, clang's for amdgcn or `nvdisasm -c` of a cubin: how many operations
# per hundred instructions of its hottest loop are what the loop is for (floats added, multiplied, both; products of integers as far as they are no addresses).
# An instruction for two numbers counts as two. The hottest is that one of the innermost loops with most of these; a kernel that has them outside of loops only
# counts as a whole.
# Waiting and padding are no instructions here.
function useful(op) { if (op ~ /^(v_pk_(fma|add|mul)_f(32|16)|HFMA2|HADD2|HMUL2)/) return 2
    return op ~ /^v_(fma|mac|mad|fmac|add|sub|subrev|mul)_(f32|f16|f64|legacy_f32|mix_f32)/ || op ~ /^v_(dot|mfma|mad_i32_i24|mul_i32_i24)/ ||
    op ~ /^(FFMA|FADD|FMUL|DFMA|DADD|DMUL|IDP|IMMA|HMMA)/ }
function start(name) { finish(); kernel = name; count = loops = 0; delete at; delete sum; sum[0] = 0 }
function take(op) { if (op ~ /^(s_waitcnt|s_nop|s_endpgm|NOP|BAR|EXIT)/) return; count++; sum[count] = sum[count - 1] + useful(op) }
function jump(label) { if (label in at) { from[++loops] = at[label]; to[loops] = count } }
function finish(   i, k, inner, all, best, share)
{
    if (kernel == "") return
    for (i = 1; i <= loops; i++) {
        inner = 1
        for (k = 1; k <= loops; k++)
            if (k != i && from[k] >= from[i] && to[k] <= to[i] && (from[k] > from[i] || to[k] < to[i])) inner = 0
        all = sum[to[i]] - sum[from[i]]
        if (inner && all > best) { best = all; share = 100 * all / (to[i] - from[i]) }
    }
    if (!best && count) share = 100 * sum[count] / count
    printf "%s %d\n", kernel, share
    kernel = ""
}
/^[A-Za-z_][A-Za-z0-9_]*: *;/ { start(substr($1, 1, index($1, ":") - 1)); next }      # amdgcn
/^\.text\.[A-Za-z0-9_]+:/ { start(substr($1, 7, index($1, ":") - 7)); next }         # a cubin
/^\.Lfunc_end/ { finish(); next }
/^\.L[A-Za-z0-9_]+:/ { at[substr($1, 1, index($1, ":") - 1)] = count; next }
kernel && /^\t[a-z]/ { take($1); if ($1 ~ /branch/) jump($2); next }
kernel && /^ *\/\*[0-9a-f]+\*\/ / {
    sub(/^ *\/\*[0-9a-f]+\*\/ */, ""); sub(/^@!?U?P[0-9T]+ +/, "")
    take($1)
    if ($1 ~ /^BRA/ && match($0, /\(\.L_x_[0-9]+\)/)) jump(substr($0, RSTART + 1, RLENGTH - 2))
}
END { finish() }
