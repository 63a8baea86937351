#!/usr/bin/env bash
# completion_test.sh [BUILD]: help of verbs with examples, and what bash completes, compared with what the
# command says of itself: each verb, option, stage.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$CORNERTURN" "$work/bin/cornerturn"
PATH=$work/bin:$PATH
cd "$work" || exit 1
failed=0

. "$root/tests/shared/check.sh"
. "$root/cli/completion.bash"

verbs() { cornerturn --help | awk '/^verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'; }
options() { cornerturn "$1" --help | awk '/^options:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'; }
stages() { cornerturn info stages | awk '{ print $1 }'; }

# What bash would offer after these words, of which the last has been begun; one a line, sorted.
offered()
{
    COMP_WORDS=(cornerturn "$@")
    COMP_CWORD=$#
    _cornerturn
    printf '%s\n' "${COMPREPLY[@]}" | sort
}
offers() { diff <(offered "${@:2}") <(printf '%s\n' $1 | sort); }
holds() { diff <(comm -23 <(printf '%s\n' $1 | sort) <(offered "${@:2}")) /dev/null; }

check 'there are verbs' test "$(verbs | wc -l)" -gt 9
check 'there are stages' test "$(stages | wc -l)" -gt 19
check 'verbs' offers "$(verbs) help --help --version" ''
check 'a verb that has been begun' offers 'validate' va
check 'verbs after help' offers "$(verbs)" help ''
check 'stages of verify' holds "$(stages)" verify ''
check 'more than one' offers 'fir' verify fft fi
check 'stages of bench' offers 'correlator' bench corr
check 'words of info' offers 'devices device stages stage' info ''
check 'stages of info stage' holds "$(stages)" info stage ''
check 'files are left to bash' offers '' run pipel
check 'so is the value of an option' offers '' run x.json --plan ''
check 'a verb that there is not' offers '' rum ''
check 'bash completes files' grep -qF -- '-o default' <(complete -p cornerturn)

for verb in $(verbs); do
    check "options of $verb" offers "$(options "$verb") --help" "$verb" -
    check "help of $verb" diff <(cornerturn help "$verb") <(cornerturn "$verb" --help)
done
check 'help alone' diff <(cornerturn help) <(cornerturn --help)
check 'help of nothing known' grep -qF "did you mean 'run'" <(cornerturn help rum 2>&1)

# Each verb has two examples or more, of this verb, whose options are its own. tune --continuous has others.
examples() { awk '/^examples:/ { on = 1; next } on { print }'; }
examples_of()
{
    local verb=$2 line word known
    known=$(awk '/^options:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' <<<"$1")
    [ "$(examples <<<"$1" | wc -l)" -ge 2 ] || { echo 'fewer than two'; return 1; }
    while read -r line; do
        [[ $line == "cornerturn $verb "* ]] || { echo "not of this verb: $line"; return 1; }
        for word in $line; do
            [[ $word != -* ]] || grep -qxF -e "${word%%=*}" <<<"$known" || { echo "no option: $word"; return 1; }
        done
    done < <(examples <<<"$1")
}
for verb in $(verbs); do
    check "examples of $verb" examples_of "$(cornerturn "$verb" --help)" "$verb"
done
check 'examples of tune --continuous' examples_of "$(cornerturn tune --continuous --help)" tune

[ "$failed" -eq 0 ] && echo 'all as expected'
[ "$failed" -eq 0 ]
