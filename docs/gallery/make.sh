#!/usr/bin/env bash
# Makes the pictures of this folder: one of every scene. Needs gravlab and ffmpeg; no display.
#   docs/gallery/make.sh [-p PROGRAM] [-n N] [-t FOLDER] [SCENE ...]
# -n: bodies of the scenes that can have any number (131072 on a GPU; few by default, so that two CPU cores need minutes).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=gravlab bodies=8192 folder=$here
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
collision          | N | 720     | 1    | --colour origin --distance 14
disc               | N | 420     | 1    | --elevation 50
plummer            | N | 100     | 1    | --colour stars
cube               | N | 330     | 1    | --distance 4
six-body           | - | 3000    | 600  | --distance 14 --colour origin
figure-eight       | - | 400     | 400  | --distance 3
two-body           | - | 400     | 400  | --distance 2.6 --elevation 70
galaxy             | N | 420     | 1    | --colour stars --elevation 42
andromeda          | N | 1750    | 1    | --colour stars --distance 140
antennae           | N | 1000    | 1    | --colour stars
cartwheel          | N | 600     | 1    | --colour stars --elevation 55 --distance 62
minor-merger       | N | 900     | 1    | --colour origin
group              | N | 700     | 1    | --colour origin
hernquist          | N | 60      | 1    | --colour stars --distance 5
king               | N | 60      | 1    | --colour stars
clumps             | N | 560     | 1    | --colour origin --distance 3
expanding-box      | N | 420     | 1    | --distance 13
kepler-circular    | - | 400     | 400  | --distance 2.2
kepler-eccentric   | - | 4000    | 400  | --distance 2.5
lagrange           | - | 1500    | 300  | --distance 2.4
lagrange-stable    | - | 1000    | 500  |
super-eight        | - | 8000    | 400  | --distance 3
pythagorean        | - | 158000  | 1580 | --distance 7.5 --colour origin
butterfly-1        | - | 270000  | 900  | --distance 2 --colour origin
butterfly-2        | - | 1200000 | 900  | --distance 2 --colour origin
moth-1             | - | 33000   | 900  | --distance 3 --colour origin
moth-2             | - | 130000  | 1200 | --distance 3.2 --colour origin
butterfly-3        | - | 900000  | 900  | --distance 2.3 --colour origin
goggles            | - | 207000  | 900  | --distance 2.8 --colour origin
dragonfly          | - | 1600000 | 1000 | --distance 2.6 --colour origin
yin-yang-1a        | - | 570000  | 1200 | --distance 2.8 --colour origin
yin-yang-1b        | - | 540000  | 1200 | --distance 2.6 --colour origin
solar-system       | - | 40000   | 2000 | --distance 26
solar-system-j2000 | - | 3000    | 1000 | --distance 4.5 --body-size 0.02
ngon               | - | 600     | 200  |
cold-collapse      | N | 1500    | 1    |
kepler-disc        | - | 600     | 1    |
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
    if [[ $pictures -gt 1 ]]; then
        frames=$((pictures + 1)) each=$((steps / pictures))
        trails=(--trails "$pictures")
    fi
    # Drawn twice as large, so that points and lines are smooth; options are words of the table above.
    # shellcheck disable=SC2086
    "$program" render "$scene" -o "$work/$scene.png" --size 1920x1080 --frames "$frames" --steps-per-frame "$each" \
        "${size[@]}" "${trails[@]}" $options < /dev/null
    # The best quality that stays below 80 KB.
    for quality in 2 3 4 5 6 8 10 13 17; do
        ffmpeg -nostdin -loglevel error -y -i "$work/$scene.png" -vf scale=960:540:flags=lanczos -q:v "$quality" \
            "$folder/$scene.jpg"
        [[ $(wc -c < "$folder/$scene.jpg") -le 80000 ]] && break
    done
done
