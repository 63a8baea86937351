#!/usr/bin/env bash
# man_test.sh: docs/cornerturn.1 and the command say the same: verbs, each verb's options with their
# values, exit codes and the version; and what formats manual pages finds no fault with it.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
page=docs/cornerturn.1
failed=0

complain()
{
    failed=$((failed + 1))
    printf '%s\n' "$*"
}

verbs() { "$CORNERTURN" --help | awk '/^verbs:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'; }

# "--device NAME" and so on, one a line: as VERB --help has them, and as the page has them.
options_said()
{
    "$CORNERTURN" "$1" --help | awk '/^options:/ { on = 1; next } /^$/ { on = 0 }
        on && $1 ~ /^--/ { print $1 (match($0, /^ *--[^ ]* [^ ]/) ? " " $2 : "") }' | sort
}
options_in_page()
{
    sed 's/\\-/-/g' "$page" | awk -v verb="$1" '
        /^\.S[SH]/ { on = $0 == ".SS " verb; next }
        on && /^\.BI? --/ { sub(/^\.BI? /, ""); gsub(/"/, ""); gsub(/ +/, " "); name = $1
            sub(/^[^ ]* ?/, ""); gsub(/ /, ""); print name ($0 == "" ? "" : " " $0) }' | sort
}

for verb in $(verbs); do
    grep -qxF ".SS $verb" <(sed 's/\\-/-/g' "$page") || complain "$page has no section of $verb"
    difference=$(diff <(options_said "$verb") <(options_in_page "$verb")) ||
        complain "options of $verb, said by the command (<) and by $page (>):
$difference"
done
sections=$(sed 's/\\-/-/g' "$page" | awk '/^\.SS / { print $2 }')
for section in $sections; do
    verbs | grep -qxF "$section" || complain "$page: there is no verb $section"
done

codes() { "$CORNERTURN" --help | tr '\n' ' ' | sed 's/.*exit codes: //' | grep -oE '\<[0-9]+ [a-z]+' | tr '[:upper:]' '[:lower:]'; }
paged() { awk '/^\.SH/ { on = /EXIT STATUS/ } on && /^\.B [0-9]/ { getline word; print $2, word }' "$page" |
    tr '[:upper:]' '[:lower:]' | grep -oE '^[0-9]+ [a-z]+'; }
[ "$(codes | wc -l)" -gt 1 ] || complain 'the command says no exit codes'
difference=$(diff <(codes) <(paged)) || complain "exit codes, said by the command (<) and by $page (>):
$difference"
grep -qF "\"$("$CORNERTURN" --version)\"" "$page" || complain "$page is of another version"

faults=
if command -v mandoc >/dev/null; then
    faults=$(mandoc -T lint -W warning "$page" 2>&1)
elif command -v groff >/dev/null; then
    faults=$(groff -man -ww -Tutf8 -z "$page" 2>&1)
elif command -v man >/dev/null; then
    faults=$(man --warnings -l "$page" 2>&1 >/dev/null)
fi
[ -z "$faults" ] || complain "$faults"
[ "$failed" -eq 0 ]
