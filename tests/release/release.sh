#!/usr/bin/env bash
# Tests of the packages that ./release made (ctest label release): release.sh CASE BUILD-FOLDER.
# Fresh systems are folders that debootstrap fills, entered by chroot: needs root, Debian and its mirror, no GPU and no display.
set -euo pipefail
case=$1 build=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=$build/packages
# The packages are for a system such as this one. Ubuntu has some of their libraries in universe.
suite=${GRAVLAB_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
components=$(. /etc/os-release && [ "$ID" != ubuntu ] || echo --components=main,universe)
work=$(mktemp -d /tmp/gravlab-release-XXXXXX)
system=$work/system

fail() {
    printf 'FAILED: %s\n' "$1" >&2
    exit 1
}
clean() {
    for mount in dev proc; do ! mountpoint -q "$system/$mount" || umount -l "$system/$mount"; done
    rm -rf --one-file-system "$work"
}
trap clean EXIT

deb() { echo "$packages"/gravlab_*.deb; }
python_deb() { echo "$packages"/python3-gravlab_*.deb; }
tarball() { echo "$packages"/gravlab-*-linux-*.tar.gz; }

# A system with nothing but what every Debian has. The first one is kept, and copied from then on.
fresh_system() {
    local base=${GRAVLAB_FRESH:-/tmp/gravlab-fresh-$suite} file
    if [ ! -e "$base/.ready" ]; then
        rm -rf "$base"
        debootstrap --variant=minbase --include=ca-certificates $components "$suite" "$base" \
            ${GRAVLAB_MIRROR:-$(sed -n 's/^URIs: //p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1)} >"$base.log" ||
            fail "debootstrap: $(tail -n 3 "$base.log")"
        touch "$base/.ready"
    fi
    cp -a "$base" "$system"
    mount --bind /dev "$system/dev"
    mount -t proc proc "$system/proc"
    for file in /etc/apt/apt.conf.d/*; do cp -n "$file" "$system/etc/apt/apt.conf.d/"; done
    cp /etc/resolv.conf /etc/hosts "$system/etc/"
    inside apt-get -qq update
}
inside() {
    chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive "$@"
}
install_inside() { inside apt-get -qq -y -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1 || fail "apt-get $*: $(tail -n 5 "$work/apt.log")"; }

# refused STATUS WORDS COMMAND...: the command ends with that status and says these words.
refused() {
    local status=0 wanted=$1 words=$2
    shift 2
    inside "$@" >"$work/said" 2>&1 || status=$?
    [ $status -eq "$wanted" ] && grep -qF -- "$words" "$work/said" ||
        fail "'$*' ended with $status, not $wanted with '$words': $(cat "$work/said")"
}

# What a system holds: files outside of what apt, dpkg and logs keep, without backups that adduser leaves for other packages,
# and the packages.
contents() {
    (cd "$system" && find . -xdev \( -path ./dev -o -path ./proc -o -path ./run -o -path ./tmp -o -path ./root -o -path ./var/cache \
        -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path './etc/*shadow-' \) -prune -o -print | LC_ALL=C sort)
    inside dpkg-query -W -f '${Package} ${db:Status-Status}\n'
}

# A film, a picture with panels and a script, with the program at $1.
draws() {
    inside "$1" render two-body -o /root/film.mp4 --frames 12 --size 320x240 2>"$work/said" || fail "no film: $(cat "$work/said")"
    inside "$1" render galaxy -n 2k -o /root/picture.png --size 640x480 --ui 2>"$work/said" || fail "no picture: $(cat "$work/said")"
    [ "$(head -c 8 "$system/root/film.mp4" | tail -c 4)" = ftyp ] || fail "film.mp4 is no film"
    [ "$(head -c 4 "$system/root/picture.png" | tail -c 3)" = PNG ] || fail "picture.png is no picture"
    printf 'get run.bodies\ndo picture /root/script.png\nget run.step\n' >"$system/root/script.txt"
    inside "$1" play /root/script.txt plummer -n 500 >"$work/said" 2>&1 || fail "the script: $(cat "$work/said")"
    grep -q 500 "$work/said" || fail "the script does not say its bodies: $(cat "$work/said")"
}

# A window under a display of its own that shows pictures and is named.
opens_window() {
    inside xvfb-run -a -s '-screen 0 1280x800x24 -noreset' sh -c "'$1' disc -n 1k --frames 40 --no-config --screenshot /root/window.png & i=0
        until xwininfo -root -tree 2>/dev/null | grep -q gravlab; do i=\$((i + 1)); [ \$i -lt 600 ] || exit 9; sleep 0.2; done
        echo WINDOW; wait \$!" >"$work/said" 2>&1 || fail "no window: $(cat "$work/said")"
    grep -qx WINDOW "$work/said" || fail "no window: $(cat "$work/said")"
    [ -s "$system/root/window.png" ] || fail "the window took no picture: $(cat "$work/said")"
}

# A run from Python, by the installed package and program.
drives_from_python() {
    cat >"$system/root/drive.py" <<'LINES'
import gravlab
with gravlab.open("galaxy", bodies=2000, accuracy=1e-3) as run:
    run.step(10)
    run["softening"] = "0.3 kpc"
    run.picture(320, 180).save("/root/python.png")
    print("DRIVEN", run.steps, run.positions.shape, run.energy < 0)
LINES
    inside python3 /root/drive.py >"$work/said" 2>&1 || fail "Python: $(cat "$work/said")"
    grep -qxF "DRIVEN 10 (2000, 3) True" "$work/said" || fail "Python says: $(cat "$work/said")"
    [ "$(head -c 4 "$system/root/python.png" | tail -c 3)" = PNG ] || fail "python.png is no picture"
}

# Everything that needs no OpenGL, with the program at $1.
computes() {
    inside "$1" run plummer -n 500 --steps 5 --final /root/end.hdf5 || fail "run"
    inside "$1" convert /root/end.hdf5 /root/end.csv || fail "convert"
    [ "$(grep -vc '^#' "$system/root/end.csv")" -ge 500 ] || fail "end.csv lacks bodies"
    inside "$1" run /root/end.hdf5 --steps 5 --final /root/later.hdf5 || fail "run goes on from its file"
    inside "$1" bench --backend cpu -n 1024 --repeats 1 >/dev/null || fail "bench"
    inside "$1" report >"$work/report" || fail "report"
    grep -q "^gravlab [0-9]" "$work/report" || fail "report: $(cat "$work/report")"
}

case $case in
    metadata) # desktop entry, metainfo, types of files, man pages, SBOM, checksums
        mkdir "$work/deb" && dpkg-deb -x "$(deb)" "$work/deb"
        share=$work/deb/usr/share
        desktop-file-validate "$share/applications/gravlab.desktop"
        appstreamcli validate --no-net "$share"/metainfo/*.metainfo.xml
        python3 -m json.tool "$packages"/gravlab-*.spdx.json >/dev/null
        (cd "$packages" && sha256sum -c SHA256SUMS)
        [ "$(ls "$share/man/man1" | wc -l)" -ge 16 ] || fail "man pages are missing"
        for page in $(gunzip -cf "$share"/man/man1/* | tr -d '\\' | grep -oE 'docs/[a-z-]+\.md' | sort -u); do
            [ -s "$share/doc/gravlab/$page" ] || fail "the man pages name $page, which is not in the package"
        done
        if command -v groff >/dev/null; then
            for page in "$share"/man/man1/*; do
                said=$(gunzip -cf "$page" | groff -man -Tutf8 -ww -z 2>&1 | grep -v 'cannot adjust line' || true)
                [ -z "$said" ] || fail "$page: $said"
            done
        fi
        if command -v gio >/dev/null && command -v update-mime-database >/dev/null; then
            cp /usr/share/mime/packages/freedesktop.org.xml "$share/mime/packages/"
            update-mime-database "$share/mime" >/dev/null 2>&1
            type_of() { XDG_DATA_HOME=$share gio info -a standard::content-type "$1" | sed -n 's/.*content-type: //p'; }
            "$build/gravlab" run two-body --steps 0 --final "$work/a.hdf5" >/dev/null 2>&1
            printf 'scene = 1\n' >"$work/plain.toml"
            printf '\211HDF\r\n\032\nother' >"$work/other.hdf5"
            [ "$(type_of "$work/a.hdf5")" = application/x-gravlab-snapshot ] || fail "type of a snapshot"
            [ "$(type_of "$root/assets/scenes/galaxy-flight.toml")" = application/x-gravlab-scene ] || fail "type of a scene"
            [ "$(type_of "$work/plain.toml")" = application/toml ] || fail "type of another TOML file"
            [ "$(type_of "$work/other.hdf5")" = application/x-hdf ] || fail "type of another HDF5 file"
        else
            echo "TYPES OF FILES ARE NOT TESTED: gio and update-mime-database are missing"
        fi
        ;;
    series) GRAVLAB_REQUIRE_VTK=1 /usr/bin/python3 "$root/tests/release/series.py" "$build/gravlab" ;; # as ParaView opens it
    completions) python3 "$root/tests/release/completions.py" "$build/gravlab" ;;
    linked) # nothing of OpenGL, X11, CUDA's driver or the net is linked or carried
        mkdir "$work/deb" && dpkg-deb -x "$(deb)" "$work/deb" && tar -C "$work" -xf "$(tarball)"
        foreign='lib(EGL|GL|GLX|OpenGL|X11|xcb|cuda|nvidia|nvrtc|curl|ssl|crypto|ldap|krb5|hdf5|glfw)'
        needed=$(readelf -d "$work/deb/usr/bin/gravlab" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
        [ -n "$needed" ] && ! grep -qE "$foreign" <<<"$needed" || fail "the program is linked with $needed"
        carried=$(ls "$work"/gravlab-*/lib/gravlab)
        ! grep -E "${foreign/|glfw/}" <<<"$carried" || fail "the folder carries $carried"
        for library in "$work"/gravlab-*/lib/gravlab/lib[!g]*.so* "$work"/gravlab-*/lib/gravlab/libgomp*; do
            ! readelf -d "$library" | grep NEEDED | grep -E "$foreign" || fail "$library brings what is opened at run time"
        done
        printf 'linked: %s\ncarried: %s\n' "$(tr '\n' ' ' <<<"$needed")" "$(tr '\n' ' ' <<<"$carried")"
        dpkg-deb -f "$(deb)" Depends Recommends
        ;;
    deb) # installs, draws, plays, opens a window, and goes without a trace
        fresh_system
        contents >"$work/before"
        cp "$(deb)" "$system/tmp/gravlab.deb"
        cp "$(python_deb)" "$system/tmp/python3-gravlab.deb"
        install_inside install /tmp/gravlab.deb /tmp/python3-gravlab.deb xvfb xauth x11-utils
        inside gravlab --version
        computes gravlab
        draws gravlab
        opens_window gravlab
        drives_from_python
        for file in share/applications/gravlab.desktop share/man/man1/gravlab-run.1.gz share/bash-completion/completions/gravlab \
            share/icons/hicolor/256x256/apps/gravlab.png share/doc/gravlab/copyright share/doc/python3-gravlab/copyright; do
            [ -e "$system/usr/$file" ] || fail "/usr/$file is missing"
        done
        install_inside purge python3-gravlab gravlab
        left=$(find "$system" -xdev \( -path "$system/proc" -o -path "$system/dev" -o -path "$system/tmp" -o -path "$system/root" \) -prune \
            -o -iname '*gravlab*' -print)
        [ -z "$left" ] || fail "left behind: $left"
        install_inside purge xvfb xauth x11-utils
        install_inside autoremove --purge
        contents >"$work/after"
        diff "$work/before" "$work/after" || fail "the system is not as it was"
        ;;
    toolkit) # the newest CUDA 12 that builds a program makes the CUDA part; the driver that it needs is named
        toolkit() { # VERSION EXIT-CODE: a compiler that ends so
            mkdir -p "$work/tools/cuda-$1/bin"
            printf '#!/bin/sh\n[ %s -eq 0 ] || echo "unsupported GNU version"\nexit %s\n' "$2" "$2" >"$work/tools/cuda-$1/bin/nvcc"
            chmod +x "$work/tools/cuda-$1/bin/nvcc"
        }
        chosen() { env -u CUDACXX "$@" GRAVLAB_BUILD="$work/build" GRAVLAB_TOOLKITS="$work/tools" "$root/release" toolkit 2>"$work/said"; }
        mkdir "$work/tools" "$work/build"
        [ "$(chosen)" = "that of the configure run" ] || fail "no toolkit: $(chosen)"
        toolkit 13.0 0 && toolkit 12.2 0 && toolkit 12.10 0 && toolkit 12.12 1
        [ "$(chosen)" = "$work/tools/cuda-12.10/bin/nvcc" ] || fail "not the newest that works: $(chosen)"
        grep -q "cuda-12.12/bin/nvcc builds no C++20 program here, so it is not used: unsupported GNU version" "$work/said" ||
            fail "the one that fails is not named: $(cat "$work/said")"
        printf '#!/bin/sh\nexec sleep 1000\n' >"$work/tools/cuda-12.12/bin/nvcc" # one that never ends
        [ "$(chosen GRAVLAB_PATIENCE=1)" = "$work/tools/cuda-12.10/bin/nvcc" ] || fail "a hanging nvcc: $(chosen GRAVLAB_PATIENCE=1)"
        grep -q "cuda-12.12/bin/nvcc builds no C++20 program here, so it is not used: no answer in time" "$work/said" ||
            fail "the one that hangs is not named: $(cat "$work/said")"
        mkdir "$work/none" && printf '#!/bin/sh\nexit 1\n' >"$work/none/git" && chmod +x "$work/none/git"
        PATH="$work/none:$PATH" "$root/release" check 2>/dev/null | grep -q "^OPEN  the tree has no change" || fail "without git the tree is said to be clean"
        [ "$(chosen CUDACXX=/some/nvcc)" = /some/nvcc ] || fail "CUDACXX: $(chosen CUDACXX=/some/nvcc)"
        # A folder that was configured with another compiler is configured again; one with this compiler is kept.
        printf 'CMAKE_CUDA_COMPILER:FILEPATH=%s/tools/cuda-12.10/bin/nvcc\n' "$work" >"$work/build/CMakeCache.txt"
        chosen >/dev/null
        [ -e "$work/build/CMakeCache.txt" ] || fail "the configured folder is not kept"
        echo CMAKE_CUDA_COMPILER:FILEPATH=/usr/local/cuda/bin/nvcc >"$work/build/CMakeCache.txt"
        chosen >/dev/null
        [ ! -e "$work/build/CMakeCache.txt" ] || fail "the folder keeps the other compiler"
        version=$("$build/gravlab" --version | sed -n 's/^CUDA: yes, toolkit \([0-9]*\).*/\1/p')
        case $version in
            '') needed="none (built without CUDA)" ;;
            12) needed="525 or later (CUDA 12)" ;;
            *) needed="580 or later (CUDA 13)" ;;
        esac
        dpkg-deb -f "$(deb)" Description | grep -qF "NVIDIA driver for the GPU: $needed." || fail "the package does not name the driver $needed"
        ;;
    outside) # a program outside of this tree, from what cmake --install gives
        "$root/tests/outside/test.sh" "$build"
        ;;
    docker) # the lines of the Dockerfile, carried out on a fresh system
        fresh_system
        while read -r word rest; do
            case $word in
                COPY) cp $packages/${rest% *} "$system${rest##* }" ;;
                RUN) inside sh -ec "$rest" >"$work/apt.log" 2>&1 || fail "RUN $rest: $(tail -n 5 "$work/apt.log")" ;;
                ENTRYPOINT) entry=$(tr -d '[]",' <<<"$rest") ;;
            esac
        done < <(sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' "$packages/Dockerfile")
        computes $entry
        draws $entry
        ;;
    tarball) # unpacked on a bare system: computes at once, and names what pictures and windows lack
        fresh_system
        tar -C "$system/root" -xf "$(tarball)"
        program=$(echo "$system"/root/gravlab-*/bin/gravlab)
        program=${program#"$system"}
        inside "$program" --version
        computes "$program"
        refused 4 "apt install libegl1 libgl1-mesa-dri" "$program" render two-body -o /root/no.png
        refused 4 "apt install libglfw3 libx11-6 libgl1" "$program" two-body --frames 1
        install_inside install --no-install-recommends libegl1 libgl1-mesa-dri libgl1 ffmpeg
        draws "$program"
        install_inside install --no-install-recommends libx11-6 xvfb xauth x11-utils
        opens_window "$program"
        ;;
    *) fail "unknown case $case" ;;
esac
printf 'passed: %s\n' "$case"
