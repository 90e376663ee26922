#!/usr/bin/env bash
# Makes the figures of docs/benchmarks on this machine: DEVICE-FIGURE.png and .csv, one pair per figure, and DEVICE-memory.txt.
#   docs/benchmarks/make.sh [PROGRAM [FOLDER [DEVICE [BACKEND]]]]
# PROGRAM: the gravlab binary (build/gravlab). FOLDER: for the files (this script's folder). DEVICE: the beginning of their
# names (from the program's text about the device). BACKEND: cuda or cpu (cuda where it runs). Needs bash and the program
# alone. A figure that cannot be made here is left out with the program's reason; a figure that fails its check exits with 7.
set -u
program=${1:-build/gravlab}
folder=${2:-$(dirname "$0")}
backend=${4:-}
device=${3:-}

devices=$("$program" list devices) || exit 1
if [ -z "$backend" ]; then
    backend=cpu
    "$program" bench --backend cuda --kernel tiled -n 256 --steps 1 --repeats 1 > /dev/null 2>&1 && backend=cuda
fi
if [ -z "$device" ]; then
    if [ "$backend" = cuda ]; then
        # "... 0: NVIDIA H200, 132 multiprocessors, ..."
        device=${devices#*0: }
        device=${device%%,*}
        device=${device,,}
        device=${device// /-}
    else
        device=cpu-$(getconf _NPROCESSORS_ONLN)-threads
    fi
fi

begun=$SECONDS
worst=0
# figure NAME [options of bench]
figure() {
    local name=$1 start=$SECONDS code
    shift
    "$program" bench --figure "$name" -o "$folder/$device-$name.png" --csv "$folder/$device-$name.csv" "$@" > /dev/null 2> "$folder/.make.log"
    code=$?
    if [ $code = 0 ]; then
        echo "$device-$name: $((SECONDS - start)) s"
    elif [ $code = 2 ] || [ $code = 4 ]; then
        echo "$device-$name: left out: $(tail -n 1 "$folder/.make.log")"
    else
        worst=$code
        echo "$device-$name: FAILED with $code: $(tail -n 1 "$folder/.make.log")"
    fi
}

# Values that show the shape of each curve within the time: 150 s on an H200, 10 minutes on two cores.
if [ "$backend" = cuda ]; then
    on=(--backend cuda --repeats 3)
    figure unroll "${on[@]}" -n 4096,16384,65536 --block 256
    figure block "${on[@]}" -n 4096,16384,65536 --unroll 16 --block 16,32,64,128,256,512,1024
    figure bodies "${on[@]}" -n 1024,4096,16384,65536,262144
    figure split "${on[@]}" --kernel tiled-split -n 4096
    figure block-split "${on[@]}" --kernel tiled-split -n 4096 --block 32,64,128,256,512 --split 1,4,16,64
    figure waves "${on[@]}" -n 4096,8192,16384,32768,65536
    figure roofline "${on[@]}" -n 65536
    figure matrix "${on[@]}"
    figure accuracy "${on[@]}" -n 131072 --accuracy 1e-2,1e-3,1e-4,1e-5
    figure crossover "${on[@]}" -n 16384,32768,65536,131072,262144
    figure groups plummer "${on[@]}" -n 16384,65536,262144,1048576
    figure depth plummer "${on[@]}" -n 16384,65536,262144
    figure ladder --repeats 3 -n 16384
    figure cpu-gpu --repeats 1 -n 1024,4096,16384
else
    on=(--backend cpu --repeats 3)
    figure bodies "${on[@]}" -n 1024,4096,16384
    figure threads "${on[@]}" -n 1024,4096,16384
    figure roofline "${on[@]}" -n 4096
    figure accuracy "${on[@]}" -n 16384
    figure crossover "${on[@]}" -n 2048,4096,8192,16384,32768
    figure groups plummer "${on[@]}" -n 4096,16384,65536
    figure depth plummer "${on[@]}" -n 4096,16384,65536
    figure ladder --repeats 3 -n 4096
    figure cpu-gpu --repeats 1 -n 1024,4096
    figure energy-dt plummer --backend cpu -n 256
    figure energy-softening plummer --backend cpu -n 256
fi
"$program" memory --backend "$backend" > "$folder/$device-memory.txt" 2> /dev/null && echo "$device-memory"
rm -f "$folder/.make.log"
echo "all: $((SECONDS - begun)) s"
exit $worst
