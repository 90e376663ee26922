#!/usr/bin/env bash
# Makes a picture of every scene: for this folder, and small ones for the window's list of scenes (assets/pictures).
#   docs/gallery/make.sh [-p PROGRAM] [-n N] [-t FOLDER] [-d FOLDER | -c FOLDER] [-l SECONDS] [-j COUNT] [SCENE ...]
# -n: bodies of the scenes that can have any number (131072 on a GPU; few by default, so that two CPU cores need minutes).
# -t: the folder for gallery and pictures, as FOLDER/gallery and FOLDER/pictures, in place of the project's.
# -d: only draws into that folder and needs gravlab alone. -c: only makes the files from the pictures in that folder and needs
# ffmpeg alone. Neither needs a display. A picture that is in the folder is not drawn again.
# -l: after this time no scene is started; the scenes left are named and the exit status is 3. The same command continues.
# -j: the number of scenes drawn at a time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=gravlab bodies=8192 gallery=$here pictures=$here/../../assets/pictures drawn='' draw=yes convert=yes limit=86400 jobs=1
while getopts p:n:t:d:c:l:j: option; do
    case $option in
        p) program=$OPTARG ;;
        n) bodies=$OPTARG ;;
        t) gallery=$OPTARG/gallery pictures=$OPTARG/pictures ;;
        d) drawn=$OPTARG convert='' ;;
        c) drawn=$OPTARG draw='' ;;
        l) limit=$OPTARG ;;
        j) jobs=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

# scene | bodies: N for the value of -n, or - for the scene's own number | steps | pictures that make a trail, or 1 | options
rows() {
    cat <<'ROWS'
collision          | N | 650     | 1    | --distance 14 --accuracy 1e-3
disc               | N | 300     | 1    | --elevation 50 --distance 11 --accuracy 1e-3
plummer            | N | 100     | 1    |
cube               | N | 360     | 1    | --distance 4
six-body           | - | 3000    | 600  | --distance 14 --colour origin
figure-eight       | - | 400     | 400  | --distance 3
two-body           | - | 400     | 400  | --distance 2.6 --elevation 70
galaxy             | N | 300     | 1    | --elevation 42 --accuracy 1e-3
andromeda          | N | 1500    | 1    | --distance 155 --accuracy 1e-3
antennae           | N | 750     | 1    | --distance 78 --accuracy 1e-3
cartwheel          | N | 600     | 1    | --elevation 55 --distance 62 --accuracy 1e-3
minor-merger       | N | 900     | 1    | --accuracy 1e-3
group              | N | 600     | 1    | --accuracy 1e-3 --distance 60
stream             | N | 4000    | 1    | --dt 0.1 --accuracy 1e-3
satellite-decay    | - | 5500    | 1100 |
hernquist          | N | 60      | 1    | --distance 14 --accuracy 1e-3
king               | N | 60      | 1    |
clumps             | N | 600     | 1    | --distance 3 --colour origin --accuracy 1e-3
expanding-box      | N | 420     | 1    | --distance 11 --body-size 0.006 --accuracy 1e-3
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
solar-system       | - | 40000   | 2000 | --distance 42
solar-system-j2000 | - | 3000    | 1000 | --distance 5.5 --body-size 0.02
mercury            | - | 4576    | 572  | --set relativity=1000000
s2                 | - | 19140   | 957  | --set relativity=150
ngon               | - | 600     | 200  |
cold-collapse      | N | 1250    | 1    | --distance 2 --exposure 0.35 --accuracy 1e-3
kepler-disc        | - | 600     | 1    |
toomre-flyby       | - | 1500    | 1    | --distance 14
toomre-retrograde  | - | 1000    | 1    | --distance 4 --elevation 70 --follow 1
toomre-bridge      | N | 1400    | 1    | --distance 4.5
charges            | - | 500     | 1    |
power-law          | N | 125     | 1    | --distance 3
lennard-jones      | - | 800     | 1    | --bodies 4096 --distance 42
ions               | - | 5500    | 1    | --bodies 512
moon               | - | 6000    | 1    | --bodies 4096
planetesimals      | - | 3000    | 1    | --bodies 2048
rings              | - | 60      | 1    | --bodies 16384
cloth              | - | 1500    | 1    | --bodies 4096
jelly              | - | 150     | 1    | --bodies 2744
rope               | - | 1800    | 1    |
hub                | - | 200     | 1    | --bodies 1024
tidal-chain        | - | 1250    | 1    | --distance 4
molecule           | - | 1500    | 1    | --bodies 1024 --distance 30
ROWS
}

if [[ -z $drawn ]]; then
    drawn=$(mktemp -d)
    trap 'rm -rf "$drawn"' EXIT
fi
mkdir -p "$drawn" "$gallery" "$pictures"
wanted=" $* "

one() {
    local scene=$1 count=$2 steps=$3 moments=$4 options=$5 asked=() frames each size picture left quality
    [[ $count == N ]] && asked=(--bodies "$bodies")
    frames=2 each=$steps
    [[ $steps -eq 0 ]] && frames=1 each=1
    if [[ $moments -gt 1 ]]; then
        frames=$((moments + 1)) each=$((steps / moments))
        asked+=(--trails "$moments")
    fi
    if [[ -n $draw ]]; then
        # Drawn larger than shown, so that points and lines are smooth; options are words of the table above.
        for size in 1920x1080 720x405; do
            picture=$drawn/$scene-$size
            [[ ! -f $picture.png ]] || continue
            left=$((limit - SECONDS))
            [[ $left -gt 0 ]] || return 3
            # shellcheck disable=SC2086
            timeout "$left" "$program" render "$scene" -o "$picture.part.png" --size $size --frames "$frames" \
                --steps-per-frame "$each" "${asked[@]}" $options < /dev/null || return 3
            mv "$picture.part.png" "$picture.png"
        done
    fi
    [[ -n $convert ]] || return 0
    # The best quality that stays below 80 KB.
    for quality in 2 3 4 5 6 8 10 13 17; do
        ffmpeg -nostdin -loglevel error -y -i "$drawn/$scene-1920x1080.png" -vf scale=960:540:flags=lanczos+accurate_rnd+full_chroma_int -q:v "$quality" \
            "$gallery/$scene.jpg"
        [[ $(wc -c < "$gallery/$scene.jpg") -le 80000 ]] && break
    done
    # With its own palette, each file stays near 15 kB.
    ffmpeg -nostdin -loglevel error -y -i "$drawn/$scene-720x405.png" -filter_complex \
        "scale=240:135:flags=area,split[a][b];[a]palettegen=max_colors=96:stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a" \
        "$pictures/$scene.png"
}

while IFS='|' read -r scene count steps moments options; do
    scene=${scene// /}
    [[ $# -eq 0 || $wanted == *" $scene "* ]] || continue
    while [[ $(jobs -rp | wc -l) -ge $jobs ]]; do wait -n || true; done
    { one "$scene" "${count// /}" "${steps// /}" "${moments// /}" "$options" || echo "$scene" >> "$drawn/left"; } &
done < <(rm -f "$drawn/left"; rows)
wait
[[ -f $drawn/left ]] || exit 0
echo "not drawn: $(sort "$drawn/left" | tr '\n' ' ')" >&2
exit 3
