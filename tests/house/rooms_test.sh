#!/usr/bin/env bash
# rooms_test.sh: the walls between rooms: with each room's own compiler flags, every header of a room
# that it sees is found, and every header of any other room, and of libraries that others use,
# is not, or is one that stops the compiler. What a room sees is what docs/architecture.md says.
# Runs in the repository's root with the build folder.
set -u
build=${1:-build}
commands=$build/compile_commands.json
[ -f "$commands" ] || { echo "no $commands to read the compiler's flags from"; exit 1; }

# flags_of FOLDER: the include path of the room's files; empty where it has none.
flags_of() {
    grep -o "\"command\": .* $PWD/$1/[a-z0-9_]*\.c\"" "$commands" | head -n 1 | grep -o -- '-I[^ ]*' | tr '\n' ' '
}

# finds FLAGS HEADER: the first of the folders that holds the header, as the compiler looks for it.
finds() {
    local flag
    for flag in $1 -I/usr/include; do
        [ -f "${flag#-I}/$2" ] && printf '%s' "${flag#-I}" && return
    done
    return 1
}

# walled FLAGS HEADER: what the compiler finds first stops it.
walled() { grep -q '^#error' "$(finds "$1" "$2")/$2" 2>/dev/null; }

# The header that stands for a room: one that no other room and no library has.
header_of() {
    local header
    for header in "$1"/*.h; do
        [ -f "$header" ] && ! finds "" "${header##*/}" >/dev/null && [ "$(find base layouts core tuner io stages cli -name "${header##*/}" | wc -l)" = 1 ] &&
            printf '%s' "${header##*/}" && return
    done
}

# The table of rooms: "core/step: base layouts core/device", a line each, "stages/*" for each folder.
sees=
while IFS='|' read -r _ room seen _; do
    room=$(tr -d ' `' <<<"$room")
    seen=$(tr ',' ' ' <<<"$seen")
    case "$room" in
    include) ;;
    */\*) for folder in ${room%\*}*/; do
        [[ "$sees" == *"${folder%/}:"* ]] || sees+="${folder%/}: $seen"$'\n'
    done ;;
    *) sees+="$room: $seen"$'\n' ;;
    esac
done < <(grep '^| `' docs/architecture.md)
opencl=" core/device core/ranks core/regroup core/program core/flags core/values core/run core/job core/rehearse stages/fft "
# "HEADER ROOM..": libraries' headers that these rooms see, where they were found.
libraries="jansson.h base
erfa.h core/sky
fitsio.h io/psrfits
hdf5.h io/hdf5 io/uvh5 io/h5parm io/lofar_bf io/fbh5 io/cutouts"

rooms=$(printf '%s\n' "$sees" | sed -n 's/:.*//p')
declare -A header_in
for room in $rooms; do header_in[$room]=$(header_of "$room"); done
wrong=0
checks=0
complain() { echo "$*"; wrong=1; }

while IFS=: read -r room seen; do
    [ -n "$room" ] || continue
    flags=$(flags_of "$room")
    [ -n "$flags" ] || { complain "$room: not among the compiled rooms"; continue; }
    for other in $rooms; do
        header=${header_in[$other]}
        [ -n "$header" ] && [ "$other" != "$room" ] || continue
        checks=$((checks + 1))
        case " $seen " in
        *" $other "*) finds "$flags" "$header" >/dev/null || complain "$room should see $other/$header" ;;
        *) ! finds "$flags" "$header" >/dev/null || complain "$room sees $other/$header" ;;
        esac
    done
    case "$opencl" in
    *" $room "*) ! walled "$flags" CL/cl.h || complain "$room should see OpenCL" ;;
    *) walled "$flags" CL/cl.h || complain "$room sees OpenCL" ;;
    esac
    while read -r header owners; do
        [[ " $owners " == *" $room "* ]] || walled "$flags" "$header" || complain "$room sees $header"
    done <<<"$libraries"
done <<<"$sees"
[ $checks -gt 300 ] || complain "only $checks pairs of rooms were tried"
exit $wrong
