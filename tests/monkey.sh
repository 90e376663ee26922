#!/usr/bin/env bash
# Sends random keys, clicks, drags, wheel steps and window sizes to the real window, and reports a crash or a hang.
#   tests/monkey.sh [EVENTS [SEED [BINARY]]]     tests/monkey.sh 10000 7 build-dev/gravlab
# Fails when the program ends other than by its own Quit, hangs for a minute, or when OpenGL or a sanitizer complains. The same
# seed sends the same events. Needs Xvfb and xdotool.
set -euo pipefail
events=${1:-10000} seed=${2:-1} binary=${3:-build/gravlab}
readonly batch=50 patience=60

binary=$(realpath "$binary")
folder=$(mktemp -d)
program='' server=''
cleanup() {
    [ -n "$program" ] && kill -KILL "$program" 2>/dev/null || true
    [ -n "$server" ] && kill "$server" 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
fail() {
    echo "monkey: $1 (seed $seed, after $done_ events)" >&2
    tail -n 60 "$folder/log" >&2
    exit 1
}
field() { grep -o "\"$1\":[^,}]*" "$folder/status" 2>/dev/null | head -n 1 | cut -d: -f2; }

Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp -noreset 3>"$folder/display" 2>/dev/null &
server=$!
for _ in $(seq 100); do [ -s "$folder/display" ] && break || sleep 0.1; done
export DISPLAY=":$(cat "$folder/display")" GRAVLAB_STATUS_FILE=$folder/status GRAVLAB_GL_DEBUG=1
export XDG_CONFIG_HOME=$folder/config XDG_STATE_HOME=$folder/state WAYLAND_DISPLAY=
# Leaks are not looked for: drivers keep memory until the process ends.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0:detect_stack_use_after_return=1} UBSAN_OPTIONS=print_stacktrace=1

done_=0 starts=0
start() {
    rm -f "$folder/status"
    (cd "$folder" && exec "$binary" view plummer -n 200 --no-welcome --backend cpu --size 900x620 >>"$folder/log" 2>&1) &
    program=$!
    starts=$((starts + 1))
    for _ in $(seq $((10 * patience))); do
        [ -s "$folder/status" ] && window=$(xdotool search --onlyvisible --name '^gravlab$' 2>/dev/null | head -n 1) &&
            [ -n "$window" ] && xdotool windowfocus "$window" && return
        kill -0 "$program" 2>/dev/null || break
        sleep 0.1
    done
    fail "the window does not open"
}

# One batch of commands for xdotool. Half of the keys are bound to commands; some walk through menus.
commands() {
    awk -v seed="$1" -v count="$2" -v window="$window" '
        function pick(list, n,   parts) { n = split(list, parts, " "); return parts[1 + int(n * rand())] }
        BEGIN {
            srand(seed)
            letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z"
            others = "space Right Left Up Down Return Escape Tab F1 F6 F10 Home End comma period plus minus " \
                     "bracketleft bracketright Delete Next 1 2 3 4 5 6 7 8 9 Prior"
            control = "ctrl+1 ctrl+2 alt+1 alt+2 alt+9 ctrl+b ctrl+z ctrl+p ctrl+o ctrl+e ctrl+v ctrl+plus ctrl+minus " \
                      "ctrl+Left ctrl+Right ctrl+Home ctrl+End Alt_L shift+Tab F11 alt+Return ctrl+s F12 " \
                      "alt+r alt+w"
            for (i = 0; i < count; ++i) {
                r = rand()
                x = int(900 * rand()); y = int(620 * rand())
                if (rand() < 0.2) y = int(26 * rand())
                if (r < 0.2) print "key", pick(letters)
                else if (r < 0.38) print "key", pick(others)
                else if (r < 0.45) print "key", pick(control)
                else if (r < 0.78) print "mousemove --window", window, x, y, "click", pick("1 1 1 1 3 2")
                else if (r < 0.86) print "mousemove --window", window, x, y, "click", pick("4 5")
                else if (r < 0.96) print "mousemove --window", window, x, y, "mousedown 1 mousemove --window", window,
                                         int(900 * rand()), int(620 * rand()), "mouseup 1"
                else if (r < 0.98) print "type", pick("0 7 1k -3 nan 1e9 x.hdf5")
                else print "windowsize", window, 300 + int(700 * rand()), 200 + int(500 * rand())
            }
        }'
}

start
while [ "$done_" -lt "$events" ]; do
    count=$((events - done_ < batch ? events - done_ : batch))
    commands $((seed * 100003 + done_)) "$count" >"$folder/commands"
    xdotool - <"$folder/commands" >/dev/null 2>&1 || true
    before=$(field frame)
    done_=$((done_ + count))
    for _ in $(seq $((10 * patience))); do
        kill -0 "$program" 2>/dev/null || break
        [ "$(field frame)" != "$before" ] && break
        xdotool mousemove_relative 1 0 2>/dev/null || true
        sleep 0.1
    done
    if ! kill -0 "$program" 2>/dev/null; then
        code=0
        wait "$program" || code=$?
        [ "$code" -eq 0 ] || fail "the program ended with code $code"
        start
        continue
    fi
    [ "$(field frame)" != "$before" ] || fail "no frame for $patience s"
    errors=$(field gl_errors)
    [ "${errors:-0}" = 0 ] || fail "OpenGL reported $errors errors"
    grep -qE 'AddressSanitizer|runtime error:' "$folder/log" && fail "a sanitizer complains"
    # Heavy scenes are slow, not wrong: return to a light scene.
    bodies=$(field run.bodies)
    [ "${bodies:-0}" -gt 3000 ] && xdotool key Escape key Escape key Escape key 9 2>/dev/null || true
done
[ "$(field gl_watched)" = true ] || fail "errors of OpenGL were not watched"
echo "monkey: $done_ events with seed $seed, $starts starts, no crash, no error of OpenGL"
