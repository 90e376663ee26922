#!/usr/bin/env bash
# Makes the pictures of the window's list of scenes, 240 x 135, in the colours that each scene has there, at a moment that
# its caption speaks of. Needs gravlab and ffmpeg; no display, no GPU.
#   assets/pictures/make.sh [-p PROGRAM] [-n N] [-t FOLDER] [SCENE ...]
# -n: bodies of the scenes that can have any number.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
program=gravlab bodies=16384
while getopts p:n:t: option; do
    case $option in
        p) program=$OPTARG ;;
        n) bodies=$OPTARG ;;
        t) folder=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

# scene | bodies: N as asked for, or - for the scene's own | steps | pictures a trail is made of, or 1 | options
rows() {
    cat <<'ROWS'
collision          | N | 620     | 1    | --distance 13 --accuracy 3e-3
disc               | N | 160     | 1    | --distance 5.5 --elevation 50 --accuracy 3e-3
plummer            | N | 20      | 1    | --distance 3.2
cube               | N | 330     | 1    | --distance 4
six-body           | - | 3000    | 600  | --distance 12
figure-eight       | - | 400     | 400  | --distance 2.6
two-body           | - | 400     | 400  | --distance 2.3 --elevation 70
galaxy             | N | 0       | 1    | --elevation 42 --distance 32
andromeda          | N | 1750    | 1    | --distance 100 --accuracy 3e-3
antennae           | N | 700     | 1    | --accuracy 3e-3
cartwheel          | N | 560     | 1    | --elevation 55 --distance 52 --accuracy 3e-3
minor-merger       | N | 700     | 1    | --accuracy 3e-3
group              | N | 120     | 1    | --distance 75 --accuracy 3e-3
hernquist          | N | 10      | 1    | --distance 10
king               | N | 10      | 1    |
clumps             | N | 160     | 1    | --distance 3
expanding-box      | N | 300     | 1    | --distance 12
kepler-circular    | - | 400     | 400  | --distance 1.9
kepler-eccentric   | - | 4000    | 400  | --distance 2.2
lagrange           | - | 1500    | 300  | --distance 2.1
lagrange-stable    | - | 1000    | 500  |
super-eight        | - | 8000    | 400  | --distance 2.6
pythagorean        | - | 158000  | 1580 | --distance 7
butterfly-1        | - | 270000  | 900  | --distance 1.8
butterfly-2        | - | 1200000 | 900  | --distance 1.8
moth-1             | - | 33000   | 900  | --distance 2.6
moth-2             | - | 130000  | 1200 | --distance 2.8
butterfly-3        | - | 900000  | 900  | --distance 2
goggles            | - | 207000  | 900  | --distance 2.5
dragonfly          | - | 1600000 | 1000 | --distance 2.3
yin-yang-1a        | - | 570000  | 1200 | --distance 2.5
yin-yang-1b        | - | 540000  | 1200 | --distance 2.3
solar-system       | - | 40000   | 2000 | --distance 24
solar-system-j2000 | - | 3000    | 1000 | --distance 4.2 --body-size 0.02
ngon               | - | 600     | 200  |
cold-collapse      | N | 1500    | 1    |
kepler-disc        | - | 300     | 1    |
toomre-flyby       | - | 1500    | 1    |
toomre-retrograde  | - | 1000    | 1    | --distance 4 --elevation 70 --follow 1
toomre-bridge      | - | 1500    | 1    |
charges            | - | 500     | 1    |
power-law          | N | 130     | 1    | --distance 3
lennard-jones      | - | 800     | 1    |
ROWS
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wanted=" $* "
rows | while IFS='|' read -r scene count steps pictures options; do
    scene=${scene// /} count=${count// /} steps=${steps// /} pictures=${pictures// /}
    [[ $# -eq 0 || $wanted == *" $scene "* ]] || continue
    size=()
    [[ $count == N ]] && size=(--bodies "$bodies")
    frames=2 each=$steps trails=()
    [[ $steps -eq 0 ]] && frames=1 each=1
    if [[ $pictures -gt 1 ]]; then
        frames=$((pictures + 1)) each=$((steps / pictures))
        trails=(--trails "$pictures")
    fi
    # Drawn larger, so that points and lines are smooth; options are words of the table above.
    # shellcheck disable=SC2086
    "$program" render "$scene" -o "$work/$scene.png" --size 720x405 --frames "$frames" --steps-per-frame "$each" \
        "${size[@]}" "${trails[@]}" $options < /dev/null
    # A palette of its own keeps each near 15 kB.
    ffmpeg -nostdin -loglevel error -y -i "$work/$scene.png" -filter_complex \
        "scale=240:135:flags=area,split[a][b];[a]palettegen=max_colors=96:stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a" \
        "$folder/$scene.png"
done
