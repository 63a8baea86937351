# completion.bash: what bash completes of a `cornerturn` command: verbs, options, stages, files.
# Room: cli. Installed as share/bash-completion/completions/cornerturn. All words are read from what the
# command says itself (--help, info stages), so nothing here has to follow it; of files bash knows.

# The words that the command lists under "verbs:"; names of options that VERB --help lists; with a
# second word only those that take a value.
_cornerturn_verbs()
{
    "$1" --help 2>/dev/null | awk '/^verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}
_cornerturn_options()
{
    awk -v valued="$1" '/^options:/ { on = 1; next } /^$/ { on = 0 }
        on && (valued == "" || $0 ~ /^ *-+[^ ]+ [^ ]/) { print $1 }'
}

# What may stand in the place of an argument: words of the usage such as "devices", and stages.
_cornerturn_arguments()
{
    local usage
    usage=$(sed -n '1s/^usage: cornerturn [^ ]* *//p' <<<"$2" | sed 's/\[options\]//')
    grep -oE '\<[a-z]+\>' <<<"$usage"
    [[ $usage == *STAGE* || $3 == stage ]] && "$1" info stages 2>/dev/null | awk '{ print $1 }'
}

_cornerturn()
{
    local command=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
    local before=${COMP_WORDS[COMP_CWORD - 1]} help words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="$(_cornerturn_verbs "$command") help --help --version"
    elif [ "$verb" = help ]; then
        words=$(_cornerturn_verbs "$command")
    else
        help=$("$command" "$verb" --help 2>/dev/null) || return
        if _cornerturn_options valued <<<"$help" | grep -qxF -e "$before"; then
            return # its value: a file's name, or something that only the user knows
        elif [[ $word == -* ]]; then
            words="$(_cornerturn_options '' <<<"$help") --help"
        else
            words=$(_cornerturn_arguments "$command" "$help" "$before")
        fi
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _cornerturn cornerturn
