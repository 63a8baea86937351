#!/usr/bin/env bash
# installed_test.sh BUILD: the installed pages, in a prefix that was moved: links lead somewhere, no command is
# one of the source tree's, and in an empty folder those of the page on own stages do what they say. (What plug-ins
# need is in plugin_test.sh.)
set -uo pipefail
tests=$(pwd)/tests build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0
. "$tests/docs/pages.sh"

DESTDIR=$work/stage cmake --install "$build" --prefix /first >"$work/log" && mv "$work/stage/first" "$work/prefix" ||
    { cat "$work/log"; exit 1; }
root=$(dirname "$(find "$work/prefix" -name CHANGELOG.md)")
export PATH=$work/prefix/bin:$PATH

dead=$(find "$root" -name '*.md' | while read -r page; do check_links "$page"; done)
[ -z "$dead" ] || complain "links that lead nowhere: $dead"
links=$(find "$root" -name '*.md' -exec grep -oh '](\([^)]*\))' {} + | grep -vc '](http')
[ "$links" -gt 190 ] || complain "expected more links than $links"
theirs=$(grep -rnE --include='*.md' --exclude=CONTRIBUTING.md 'build/cornerturn|/prefix|--prefix|source tree.s root' "$root")
[ -z "$theirs" ] || complain "commands of the source tree: $theirs"

mkdir "$work/empty" && cd "$work/empty" || exit 1
take_pages "$root/docs/own-stages.md"

echo "$links links, $count commands, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 4 ]
