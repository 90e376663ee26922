#!/bin/sh
# Clicks in the real window under XWayland, in a compositor without a display that magnifies by 2:
# tests/gui/wayland.sh PROGRAM [FILTER]
for need in weston Xwayland; do
    command -v $need > /dev/null || { echo "SKIPPED: $need is missing"; exit 77; }
done
folder=$(mktemp -d)
XDG_RUNTIME_DIR=$folder weston --backend=headless-backend.so --xwayland --width=2560 --height=1440 --scale=2 --no-config --idle-time=0 > "$folder/log" 2>&1 &
compositor=$!
trap 'kill $compositor; wait $compositor; rm -rf "$folder"' EXIT
for turn in $(seq 100); do
    display=$(sed -n 's/.*xserver listening on display //p' "$folder/log")
    [ -z "$display" ] || break
    sleep 0.1
done
[ -n "$display" ] || { cat "$folder/log"; exit 1; }
DISPLAY=$display XDG_RUNTIME_DIR=$folder "$1" --gtest_filter="${2:-WelcomeTest.greets*}"
