# check.sh: what scripts that use the command say of what they find. They count in failed (0), and end
# with it.

# check SENTENCE COMMAND...: the command must succeed
check()
{
    local sentence=$1
    shift
    "$@" >log 2>&1 && return
    failed=$((failed + 1))
    echo "failed: $sentence"
    tail -n 8 log
}

# says EXIT TEXT COMMAND...: it must end with this code, and one sentence on standard error that has the text
says()
{
    local code=0
    "${@:3}" >/dev/null 2>said || code=$?
    cat said
    [ "$code" -eq "$1" ] && grep -qF -- "$2" said && [ "$(wc -l <said)" -eq 1 ]
}

# fail SENTENCE...: found otherwise than by check
fail() { echo "failed: $*"; failed=$((failed + 1)); }

# in_a_folder: goes to an empty one, which is removed at the end; kernels find one core each
in_a_folder()
{
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work" || exit 1
    export LC_ALL=C POCL_AFFINITY=1
    failed=0
}
