#!/usr/bin/env bash
# Makes the pictures of docs/first-minutes.md: the real window, as somebody sees it, and what it says of itself (facts.txt).
#   docs/first-minutes/make.sh [-p PROGRAM] [-t FOLDER] [-d FOLDER | -c FOLDER] [-k] [NAME ...]
# -t: where the pictures are written, in place of the project's. -d: only shows, into that folder, which needs gravlab and Xvfb; -c: only
# makes the files of what was shown there, which needs ffmpeg alone. -k: by keys alone, for programs that know no scripts.
# Bodies are as many as the machine gets by default. A display of its own is opened; XVFB names the server where it is not found, which
# may be a command of several words. All of it takes about four minutes.
set -euo pipefail
trap '' PIPE  # a program that ends early is said, and the next one shown
here=$(cd "$(dirname "$0")" && pwd)
program=gravlab pictures=$here shown='' show=yes convert=yes keys=''
while getopts p:t:d:c:k option; do
    case $option in
        p) program=$OPTARG ;;
        t) pictures=$OPTARG ;;
        d) shown=$OPTARG convert='' ;;
        c) shown=$OPTARG show='' ;;
        k) keys=yes ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

# name | window | scene and options | seconds until it is looked at | lines of a script before | the same by keys
rows() {
    cat <<'ROWS'
own-data  | 1280x720 | OWN                               | 8  | do instruments on  | ctrl+j
pace      | 1280x720 | collision                         | 31 |                    |
orbits    | 1280x720 | pythagorean                       | 20 |                    |
trails    | 1280x720 | two-body --twin integrator=euler  | 20 |                    |
lesson    | 1280x720 | two-body                          | 4  | do lesson leapfrog | F2
framing   | 1280x720 | galaxy                            | 10 |                    |
projector | 1280x720 | two-body --twin integrator=euler  | 20 | do projector on    | ctrl+p
small     | 800x600  | collision                         | 12 |                    |
ROWS
}

if [[ -z $shown ]]; then
    shown=$(mktemp -d)
    trap 'rm -rf "$shown"' EXIT
fi
mkdir -p "$shown" "$pictures"
shown=$(cd "$shown" && pwd)
wanted=" $* "
is_wanted() { [[ $wanted == "  " || $wanted == *" $1 "* ]]; }

# A disc of 3,000 stars in kpc, km/s and solar masses, as somebody brings it.
own_data() {
    awk 'BEGIN { srand(4); print "# x[kpc],y[kpc],z[kpc],vx[km/s],vy[km/s],vz[km/s],m[Msun]"
        for (i = 0; i < 3000; ++i) {
            r = -3 * log(1 - rand() * 0.98); a = 6.283185307 * rand()
            v = 205 * sqrt(r / (r + 2)); s = 8 * (rand() - 0.5)
            printf "%.5f,%.5f,%.5f,%.3f,%.3f,%.3f,%.5g\n", r * cos(a), r * sin(a), 0.4 * (rand() - 0.5),
                -v * sin(a) + s, v * cos(a) + s, s, 1e7 } }'
}

look() {
    local name=$1 size=$2 options=$3 seconds=$4 lines=$5 pressed=$6
    local home; home=$(mktemp -d)
    mkdir -p "$home/.config/gravlab"
    pushd "$home" > /dev/null
    own_data > mygal.csv
    options=${options/OWN/mygal.csv}
    local -a words; read -ra words <<< "$options"
    local answers=$shown/$name.answers
    if [[ -n $keys ]]; then
        HOME=$home "$program" view "${words[@]}" --size "$size" > "$answers" 2>&1 < /dev/null &
        local pid=$!
        sleep 3
        [[ -z $pressed ]] || xdotool key "$pressed"
        sleep "$seconds"
        cp "$buffer/Xvfb_screen0" "$shown/$name-$size.xwd"
        kill "$pid" || true
        wait "$pid" || true
    else
        mkfifo lines
        HOME=$home "$program" play - "${words[@]}" --window --size "$size" < lines > "$answers" 2> "$answers.errors" &
        local pid=$!
        exec 7> lines
        # A script goes by steps a picture unless it says otherwise; a user's window goes at the scene's own pace.
        echo "do own-speed" >&7 || true
        [[ -z $lines ]] || echo "$lines" >&7 || true
        echo "wait seconds $seconds" >&7 || true
        # Answered when the seconds are over.
        local asked=2; [[ -z $lines ]] || asked=3
        for ((k = 0; k < 10 * (seconds + 30) && $(wc -l < "$answers") < asked; ++k)); do
            kill -0 "$pid" 2> /dev/null || { cat "$answers.errors"; break; }
            sleep 0.1
        done
        cp "$buffer/Xvfb_screen0" "$shown/$name-$size.xwd"
        printf 'get %s\n' run.bodies run.backend run.step run.time run.steps_per_second window.frames_per_second >&7 || true
        echo "do quit" >&7 || true
        exec 7>&-
        wait "$pid" || true
        {
            echo "$name: $options, $seconds s"
            tail -n +$((asked + 1)) "$answers" | sed 's/^/    /'
        } >> "$shown/facts.txt"
    fi
    popd > /dev/null
    rm -rf "$home"
}

if [[ -n $show ]]; then
    buffer=$(mktemp -d)
    # The server writes the number of its display where descriptor 6 goes.
    # shellcheck disable=SC2086
    ${XVFB:-Xvfb} -displayfd 6 -screen 0 1280x720x24 -fbdir "$buffer" +extension GLX 6> "$buffer/display" > /dev/null 2>&1 &
    server=$!
    trap 'kill $server 2> /dev/null || true; rm -rf "$buffer"; [[ -z $convert ]] || rm -rf "$shown"' EXIT
    for ((k = 0; k < 100; ++k)); do
        [[ -s $buffer/display ]] && break
        sleep 0.1
    done
    DISPLAY=:$(cat "$buffer/display")
    export DISPLAY
    : > "$shown/facts.txt"
    while IFS='|' read -r name size options seconds lines pressed; do
        trim() { local t=$1; t=${t#"${t%%[! ]*}"}; echo "${t%"${t##*[! ]}"}"; }
        name=$(trim "$name")
        is_wanted "$name" || continue
        look "$name" "$(trim "$size")" "$(trim "$options")" "$(trim "$seconds")" "$(trim "$lines")" "$(trim "$pressed")"
    done < <(rows)
fi
[[ -n $convert || -z $show ]] || exit 0
for file in "$shown"/*.xwd; do
    name=$(basename "$file" .xwd) size=${name##*-}
    name=${name%-*}
    is_wanted "$name" || continue
    # The best quality that stays below 80 KB.
    for quality in 2 3 4 5 6 8 10 13 17; do
        ffmpeg -nostdin -loglevel error -y -f xwd_pipe -i "$file" -vf "crop=${size/x/:}:0:0" -q:v "$quality" "$pictures/$name.jpg"
        [[ $(wc -c < "$pictures/$name.jpg") -le 80000 ]] && break
    done
done
