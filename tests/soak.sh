#!/usr/bin/env bash
# Runs a window under Xvfb for hours with random keys, mouse, sizes and files from a seed, and measures it every 10 seconds:
#   tests/soak.sh SECONDS [--tsan] [--seed N] [--binary PATH] [--csv FILE]
# Fails when the program ends or stops answering, or when memory, handles or the time of a frame climb. With --tsan, it fails on
# a race instead of on memory, because the thread sanitizer itself uses memory.
# Rule: numbers are compared at rest, with the same three bodies every 30 s; between rests any input may come.
set -u
cd "$(dirname "$0")/.." || exit 2
usage() { sed -n 's/^#   //p' "$0" >&2; exit 2; }
seconds=${1:-}
case $seconds in '' | *[!0-9]*) usage ;; esac
shift
seed=1 binary='' csv='' tsan=''
while [ $# -gt 0 ]; do
  case $1 in
    --tsan) tsan=1 ;;
    --seed) seed=${2:?}; shift ;;
    --binary) binary=$(realpath "${2:?}"); shift ;;
    --csv) csv=$(realpath "${2:?}"); shift ;;
    *) usage ;;
  esac
  shift
done
for tool in Xvfb xdotool awk; do
  command -v $tool > /dev/null || { echo "the soak needs $tool (Debian: apt install xvfb xdotool gawk)" >&2; exit 4; }
done
if [ -z "$binary" ]; then
  preset=release
  [ -n "$tsan" ] && preset=tsan
  cmake --preset $preset > /dev/null && cmake --build --preset $preset --target gravlab --parallel "$(nproc)" || exit 1
  binary=$PWD/build${tsan:+-tsan}/gravlab
fi

folder=$(mktemp -d /tmp/gravlab-soak.XXXXXX)
csv=${csv:-$folder/soak.csv}
server='' program=''
# shellcheck disable=SC2317  # called by the trap
finish() {
  [ -n "$program" ] && kill -KILL "$program" 2> /dev/null
  [ -n "$server" ] && kill "$server" 2> /dev/null
  rm -rf "$folder/work" "$folder/state"
}
trap finish EXIT
mkdir -p "$folder/work" "$folder/state"
Xvfb -displayfd 3 -screen 0 1400x900x24 -nolisten tcp -noreset 3> "$folder/display" 2> "$folder/xvfb.log" &
server=$!
for _ in $(seq 100); do [ -s "$folder/display" ] && break; sleep 0.1; done
DISPLAY=:$(cat "$folder/display")
export DISPLAY
unset WAYLAND_DISPLAY
export GRAVLAB_STATUS_FILE=$folder/status.json XDG_STATE_HOME=$folder/state XDG_CONFIG_HOME=$folder/config
if [ -n "$tsan" ]; then
  # Mesa orders its threads by its own futexes, which the sanitizer cannot see.
  printf 'called_from_lib:%s\n' libgallium swrast_dri.so libGLX_mesa.so libEGL_mesa.so libLLVM > "$folder/suppressions"
  printf 'race:%s\n' libgallium swrast_dri.so libGLX_mesa.so libLLVM >> "$folder/suppressions"
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$folder/suppressions exitcode=66 log_path=$folder/race"
fi
printf 'm,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n1,0,1,0,1,0,0\n' > "$folder/good.csv"
printf 'm,x,y,z\n1,0,0,0\n1,nan,0,0\n' > "$folder/bad.csv"
head -c 3000 /dev/urandom > "$folder/noise.hdf5"
printf 'scene = "plummer"\nbodies = 500\n' > "$folder/scene.toml"

(cd "$folder/work" && exec "$binary" view plummer -n 1000 --no-welcome --backend cpu --size 1000x700 --ui-scale 1 --autosave 20) \
  > "$folder/log" 2>&1 &
program=$!
# Controls have names like facts; the list of controls comes last.
fact() { sed -n 's/,"items":.*//; s/.*[{,]"'"$1"'":\("[^"]*"\|[^,}]*\).*/\1/p' "$GRAVLAB_STATUS_FILE" 2> /dev/null | tr -d '"'; }
number() { local value; value=$(fact "$1"); case $value in '' | *[!0-9]*) echo 0 ;; *) echo "$value" ;; esac; }
window=''
find_window() { xdotool search --onlyvisible --name '^gravlab$' 2> /dev/null | head -1; }
for _ in $(seq 600); do
  kill -0 $program 2> /dev/null || { echo "the window did not open:"; cat "$folder/log"; exit 1; }
  [ "$(number frame)" -ge 2 ] && window=$(find_window)
  [ -n "$window" ] && break
  sleep 0.1
done
[ -n "$window" ] || { echo "no window was found"; exit 1; }
xdotool windowfocus "$window"

RANDOM=$seed
keys=(n Right Home bracketright bracketleft 2 3 4 5 6 7 8 period comma k k c m m t Left w s a d q p ctrl+1 alt+1 ctrl+3 alt+3 \
  f Delete i i ctrl+z y u x z e ctrl+b plus minus g ctrl+p Tab h F11 F12 ctrl+e ctrl+s Escape j l r space \
  F6 F10 Alt_L v ctrl+v o ctrl+t alt+t ctrl+i ctrl+f ctrl+Left ctrl+Right ctrl+Home ctrl+End)
press() { xdotool key "$1"; }
at() {  # the middle of a control, or nothing
  sed -n 's/.*"'"$1"'":{"rect":\[\([-0-9.,]*\)\].*/\1/p' "$GRAVLAB_STATUS_FILE" |
    awk -F, 'NF == 4 && $1 >= 0 && $2 >= 0 { printf "%d %d", ($1 + $3) / 2, ($2 + $4) / 2 }'
}
open_file() {
  [ "$(fact window.visible)" = false ] && press Tab
  press ctrl+o
  sleep 0.5
  local place
  place=$(at open_path)
  if [ -n "$place" ]; then
    # shellcheck disable=SC2086  # two numbers
    xdotool mousemove --window "$window" $place click 1
    sleep 0.2
    xdotool key ctrl+a
    xdotool type --delay 15 -- "$1"
    xdotool key Return
    sleep 0.5
  fi
  press Escape
}
act() {
  # The middle of the window, where no panel is.
  local x=$((310 + RANDOM % 380)) y=$((RANDOM % 700)) which=$((RANDOM % 100)) files names place
  if [ "$which" -lt 50 ]; then
    press "${keys[RANDOM % ${#keys[@]}]}"
  elif [ "$which" -lt 60 ]; then  # bodies, within what two cores step through; what is asked must be there before more is
    local frame
    frame=$(number frame)
    if [ "$(number bodies)" -gt 3000 ]; then press Next; else press Prior; fi
    for _ in $(seq 50); do [ "$(number frame)" -gt $((frame + 1)) ] && break; sleep 0.1; done
  elif [ "$which" -lt 72 ]; then
    xdotool mousemove --window "$window" $x $y mousedown $((1 + RANDOM % 3)) \
      mousemove --window "$window" $((310 + RANDOM % 380)) $((RANDOM % 700)) mouseup 1 mouseup 2 mouseup 3
  elif [ "$which" -lt 80 ]; then
    xdotool mousemove --window "$window" $x $y click --repeat $((1 + RANDOM % 5)) $((4 + RANDOM % 2))
  elif [ "$which" -lt 88 ]; then
    xdotool windowsize "$window" $((1 + RANDOM % 1300)) $((1 + RANDOM % 850))
  elif [ "$which" -lt 90 ]; then
    xdotool windowunmap "$window"; sleep 0.3; xdotool windowmap "$window"; xdotool windowfocus "$window"
  elif [ "$which" -lt 94 ]; then  # any control but that of the number of bodies, which knows no bounds
    mapfile -t names < <(grep -o '"[a-z_]*":{"rect"' "$GRAVLAB_STATUS_FILE" | cut -d'"' -f2 | grep -v bodies)
    place=$(at "${names[RANDOM % (${#names[@]} + 1)]:-pause}")
    # shellcheck disable=SC2086  # two numbers
    [ -n "$place" ] && xdotool mousemove --window "$window" $place click 1
  else
    # shellcheck disable=SC2012  # our own names
    files=("$folder/good.csv" "$folder/bad.csv" "$folder/noise.hdf5" "$folder/scene.toml" "/dev" "$folder/none" \
      "$(ls -t "$folder"/work/*.hdf5 2> /dev/null | head -1)")
    open_file "${files[RANDOM % ${#files[@]}]:-/dev/null}"
  fi
}
# At rest: three bodies, the same window size, no panel open. Numbers measured here must not climb.
rest() {
  xdotool windowmap "$window"
  local now
  now=$(find_window)  # another one after a graphics reset (GRAVLAB_FAULT=glGetGraphicsResetStatus:N:33363)
  window=${now:-$window}
  xdotool windowsize "$window" 1000 700 mousemove --window "$window" 500 20
  xdotool windowfocus "$window"
  for _ in 1 2 3 4 5; do press Escape; done  # lists, menus, what is open, and keys that belong to panels
  [ "$(fact window.full_screen)" = true ] && press F11
  [ "$(fact window.visible)" = false ] && press Tab
  [ "$(fact window.projector)" = true ] && press ctrl+p
  [ "$(fact lab.open)" = true ] && press l
  [ "$(sed -n 's/.*"twin":{"on":\(true\|false\).*/\1/p' "$GRAVLAB_STATUS_FILE")" = true ] && press ctrl+t
  press 9
  sleep 1
  press r
  [ "$(fact run.paused)" = true ] && press space
  [ "$(fact look.trails)" = 0 ] || press t
  [ "$(fact look.white_page)" = true ] && press ctrl+b
  sleep 2
}
ticks() { awk '{ print $14 + $15 }' "/proc/$program/stat"; }
sample() {  # phase
  local frames now cpu
  frames=$(number frame) cpu=$(ticks)
  sleep 2
  now=$(number frame)
  awk -v t="$(($(date +%s) - began))" -v phase="$1" -v frames="$((now - frames))" -v cpu="$(($(ticks) - cpu))" \
    -v hz="$(getconf CLK_TCK)" -v rss="$(awk '/^VmRSS/ { print $2 }' "/proc/$program/status")" \
    -v handles="$(find "/proc/$program/fd" -mindepth 1 | wc -l)" -v threads="$(find "/proc/$program/task" -mindepth 1 -maxdepth 1 | wc -l)" \
    -v bodies="$(number bodies)" -v step="$(number step)" -v events="$events" 'BEGIN {
      printf "%d,%s,%.1f,%d,%d,%.2f,%.2f,%d,%d,%d\n", t, phase, rss / 1024, handles, threads,
        (frames > 0 ? 2000 / frames : 0), (frames > 0 ? cpu * 1000 / hz / frames : 0), bodies, step, events }' >> "$csv"
}

echo 'seconds,phase,rss_mib,handles,threads,frame_ms,cpu_ms_per_frame,bodies,step,events' > "$csv"
began=$(date +%s) events=0 samples=0 last=$began rested=0 status=0 frozen=0
while [ $(($(date +%s) - began)) -lt "$seconds" ]; do
  if ! kill -0 $program 2> /dev/null; then
    wait $program
    echo "FAILED: the program ended by itself with code $? after $events events:"
    tail -5 "$folder/log"
    exit 1
  fi
  act 2>> "$folder/xdotool.log"
  events=$((events + 1))
  sleep 0.0$((1 + RANDOM % 9))
  now=$(date +%s)
  [ $((now - last)) -lt 10 ] && continue
  last=$now samples=$((samples + 1))
  if [ $((samples % 3)) -eq 0 ]; then
    rest 2>> "$folder/xdotool.log"
    before=$(number frame)
    sample rest
    if [ "$(number frame)" -eq "$before" ]; then
      frozen=$((frozen + 1))
      echo "no frame in two seconds at rest: $(cut -c1-400 "$GRAVLAB_STATUS_FILE")"
      [ "$frozen" -ge 3 ] && { echo "FAILED: the window does not answer any more"; exit 1; }
    else
      frozen=0
    fi
    rested=$((rested + 1))
    # shellcheck disable=SC2012  # our own names
    ls -t "$folder"/work/* 2> /dev/null | tail -n +6 | xargs -r rm -f
  else
    sample storm
  fi
done
rest 2>> "$folder/xdotool.log"
press ctrl+q
for _ in $(seq 300); do kill -0 $program 2> /dev/null || break; sleep 0.1; done
if kill -0 $program 2> /dev/null; then
  echo "FAILED: the program does not quit"
  exit 1
fi
wait $program
code=$?
program=''
[ $code -eq 0 ] || { echo "FAILED: exit code $code"; tail -5 "$folder/log"; status=1; }
if grep -q 'WARNING: ThreadSanitizer' "$folder"/race.* 2> /dev/null; then
  echo "FAILED: the thread sanitizer reports:"
  cat "$folder"/race.* | grep -A12 WARNING | head -60
  status=1
fi

# The first fifth warms up caches. A line is fitted through the values at rest after it; its climb over that time is the result.
awk -F, -v from="$((seconds / 5))" -v events="$events" -v tsan="${tsan:-0}" '
  $2 == "rest" && $1 >= from {
    n++; t[n] = $1; rss[n] = $3; handles[n] = $4; cpu[n] = $7; wall[n] = $6
    st += $1; sr += $3; stt += $1 * $1; str += $1 * $3
  }
  function middle(a, first, last,   i, j, v, b, k) {  # median
    k = 0
    for (i = first; i <= last; i++) b[++k] = a[i]
    for (i = 2; i <= k; i++) { v = b[i]; for (j = i - 1; j >= 1 && b[j] > v; j--) b[j + 1] = b[j]; b[j + 1] = v }
    return k % 2 ? b[(k + 1) / 2] : (b[k / 2] + b[k / 2 + 1]) / 2
  }
  END {
    if (n < 6) { printf "%d events, too few rests (%d) to see a slope\n", events, n; exit 0 }
    slope = (n * str - st * sr) / (n * stt - st * st)
    climb = slope * (t[n] - t[1])
    third = int(n / 3)
    firstCpu = middle(cpu, 1, third); lastCpu = middle(cpu, n - third + 1, n)
    firstHandles = middle(handles, 1, third); lastHandles = middle(handles, n - third + 1, n)
    firstWall = middle(wall, 1, third); lastWall = middle(wall, n - third + 1, n)
    printf "%d events, %d rests over %d s: memory %.1f to %.1f MiB, slope %.2f MiB an hour; handles %g to %g; " \
      "frame %.1f to %.1f ms, its processor time %.1f to %.1f ms\n", events, n, t[n] - t[1], rss[1], rss[n], slope * 3600,
      firstHandles, lastHandles, firstWall, lastWall, firstCpu, lastCpu
    bad = 0
    # The thread sanitizer keeps a shadow of every page that was ever touched.
    if (!tsan && !(climb < 12)) { printf "FAILED: memory climbs by %.1f MiB\n", climb; bad = 1 }
    if (lastHandles > firstHandles + 2) { print "FAILED: handles pile up"; bad = 1 }
    if (lastCpu > 1.6 * firstCpu + 1) { print "FAILED: frames get slower"; bad = 1 }
    exit bad
  }' "$csv" || status=1
echo "samples: $csv; log: $folder/log"
exit $status
