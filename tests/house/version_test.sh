#!/usr/bin/env bash
# version_test.sh BUILD: the version stands in include/cornerturn.h; what repeats it for its readers (CITATION.cff, the
# manual page, CHANGELOG.md, the Python package, packages' names) says the same, and CITATION.cff has what cff asks for.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=$1 failed=0
number() { sed -n "s/^#define CT_VERSION_$1 \([0-9]*\)$/\1/p" include/cornerturn.h; }
version=$(number MAJOR).$(number MINOR).$(number PATCH)

# same WHERE FOUND
same()
{
    [ "$2" = "$version" ] && return
    failed=$((failed + 1))
    echo "failed: $1 says \"$2\", include/cornerturn.h $version"
}
# first FILE PATTERN: what the pattern's group is in the first line that has it
first() { sed -n "s/$2/\1/p" "$1" | head -n 1; }

same 'cornerturn --version' "$("$CORNERTURN" --version | sed 's/^cornerturn //')"
same CITATION.cff "$(first CITATION.cff '^version: \(.*\)$')"
same docs/cornerturn.1 "$(first docs/cornerturn.1 '^\.TH .*"cornerturn \([^"]*\)".*')"
same 'the first heading of CHANGELOG.md' "$(first CHANGELOG.md '^## \([^ ]*\).*$')"
same CMakeCache.txt "$(first "$build/CMakeCache.txt" '^CMAKE_PROJECT_VERSION:STATIC=\(.*\)$')"
same cornerturn.pc "$(first "$build/cornerturn.pc" '^Version: \(.*\)$')"
same CPackConfig.cmake "$(first "$build/CPackConfig.cmake" '^set(CPACK_PACKAGE_VERSION "\(.*\)")$')"
same python/cornerturn/__init__.py "$(first python/cornerturn/__init__.py '^__version__ = "\(.*\)".*$')"
for key in cff-version message title authors license; do
    grep -q "^$key:" CITATION.cff && continue
    failed=$((failed + 1))
    echo "failed: CITATION.cff has no $key"
done
[ "$failed" -eq 0 ]
