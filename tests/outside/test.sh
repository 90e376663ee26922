#!/usr/bin/env bash
# Installs a build folder under a prefix of its own, and builds the program of this folder from it: with CMake, then with
# pkg-config. The programs must have the term, the scene and the integrator beside everything else: test.sh BUILD-FOLDER.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$1" >&2 && exit 1; }

cmake --install "$build" --prefix "$work/prefix" --component develop >"$work/install.log" || fail "$(cat "$work/install.log")"
cp -r "$here" "$work/source" # nothing of gravlab's tree is beside it
cmake -S "$work/source" -B "$work/build" "-DCMAKE_PREFIX_PATH=$work/prefix" >"$work/log" 2>&1 || fail "cmake: $(tail -n 20 "$work/log")"
cmake --build "$work/build" --parallel >"$work/log" 2>&1 || fail "build: $(tail -n 30 "$work/log")"
if grep -q 'GRAVLAB_CUDA_VERSION="[0-9]' "$build/build.ninja" 2>/dev/null; then
    nm -C "$work/build/laboratory" | grep -q 'outside.*CudaWell<float>' || fail "the CUDA kernel is not in the program"
fi

export XDG_CACHE_HOME=$work XDG_STATE_HOME=$work
laboratory=$work/build/laboratory
"$laboratory" list integrators | grep -q forest-ruth || fail "no integrator"
# After a quarter of a period all bodies are at the centre, to the error of order 4: a step half as long has a sixteenth of it.
away() {
    "$laboratory" run well -n 64 --backend cpu --precision fp64 --integrator forest-ruth --dt "$1" --steps "$2" --final "$work/end.csv" \
        --autosave 0 >"$work/log" 2>&1 || fail "run: $(cat "$work/log")"
    grep -v '[a-df-z#]' "$work/end.csv" |
        awk -F, '{ d = $2 ^ 2 + $3 ^ 2; if (d > m) m = d } END { if (NR != 64) exit 1; printf "%.12g", sqrt(m) }'
}
coarse=$(away 0.15707963267948966 10) fine=$(away 0.07853981633974483 20)
awk -v c="$coarse" -v f="$fine" 'BEGIN { exit !(c < 1e-2 && f < 1e-3 && c / f > 12 && c / f < 20) }' ||
    fail "away from the centre after a quarter of a period: $coarse, and $fine in steps half as long"
# Forces are checked against the term's plain statement, and a file of the run has the term.
"$laboratory" bench well --term-kernel well=all -n 256 --backend cpu --repeats 1 >"$work/log" 2>&1 || fail "bench: $(cat "$work/log")"
if "$laboratory" run well -n 64 --steps 5 --final "$work/end.hdf5" --autosave 0 >"$work/log" 2>&1; then
    "$laboratory" run "$work/end.hdf5" --steps 5 >"$work/log" 2>&1 || fail "goes on: $(cat "$work/log")"
fi

if command -v pkg-config >/dev/null; then
    folder=$(find "$work/prefix" -name pkgconfig)
    export PKG_CONFIG_PATH=$folder
    kernels=()
    nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
    if [ -x "$nvcc" ]; then
        # The flags are those of the host's compiler.
        # shellcheck disable=SC2046
        "$nvcc" --forward-unknown-to-host-compiler $(pkg-config --cflags gravlab) -c "$work/source/well_cuda.cu" -o "$work/well_cuda.o" \
            >"$work/log" 2>&1 || fail "nvcc: $(tail -n 30 "$work/log")"
        kernels=("$work/well_cuda.o")
    fi
    # shellcheck disable=SC2046
    ${CXX:-c++} $(pkg-config --cflags gravlab) "$work"/source/*.cpp "${kernels[@]}" $(pkg-config --libs gravlab) \
        -o "$work/by-pkg-config" >"$work/log" 2>&1 || fail "pkg-config: $(tail -n 30 "$work/log")"
    "$work/by-pkg-config" list integrators | grep -q forest-ruth || fail "no integrator in the program by pkg-config"
    rows() { "$1" list kernels --json | grep -c '"term": "well"' || true; }
    [ "$(rows "$work/by-pkg-config")" -ge 1 ] && [ "$(rows "$work/by-pkg-config")" -eq "$(rows "$laboratory")" ] ||
        fail "kernels of the term by pkg-config: $(rows "$work/by-pkg-config"), by CMake: $(rows "$laboratory")"
fi
# The five programs of clients/cpp, from the same installation.
programs=$work/programs
cp -r "$here/../../clients/cpp" "$work/clients"
cmake -S "$work/clients" -B "$programs" "-DCMAKE_PREFIX_PATH=$work/prefix" >"$work/log" 2>&1 || fail "clients/cpp: $(tail -n 20 "$work/log")"
cmake --build "$programs" --parallel >"$work/log" 2>&1 || fail "clients/cpp: $(tail -n 30 "$work/log")"
said() { timeout 60 "$programs/$1" "${@:3}" >"$work/log" 2>&1 && grep -qE "$2" "$work/log" || fail "$1: $(tail -n 20 "$work/log")"; }
said two_bodies '^hermite4 +20 +-[0-9.e-]+ +-?[0-9.]+e-(0[7-9]|1)'
said own_term '^cpu +check passed, farthest from the centre [0-9.]+e-0[4-9]'
if "$laboratory" list devices | grep -q "^cuda .*0:"; then row=symmetric; else row=simd-threads; fi
said benchmark "^$row +[0-9.]+ +[0-9.]+" 1024
said own_scene 'drift-first' list integrators
said own_scene 'ring.*10 steps' run ring -n 200 --integrator drift-first --steps 10 --autosave 0
said picture '1000 bodies at t' "$work/galaxy.png" 1000
[ "$(head -c 8 "$work/galaxy.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "picture: no PNG"

printf 'outside: error after a quarter of a period %s, %s with half the step\n' "$coarse" "$fine"
