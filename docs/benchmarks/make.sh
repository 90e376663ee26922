#!/usr/bin/env bash
# Makes all figures of docs/benchmarks on this machine: DEVICE-FIGURE.png and .csv, one pair per figure, and DEVICE-memory.txt.
#   docs/benchmarks/make.sh [PROGRAM [FOLDER [DEVICE [BACKEND [FIGURE...]]]]]
# PROGRAM: the gravlab binary (build/gravlab). FOLDER: for the files (this script's folder). DEVICE: the beginning of their
# names; '' takes it from the program's text about the device. BACKEND: cuda or cpu; '' is cuda where it runs. FIGURE...: only
# these files, such as block-global. Needs bash, timeout, the program, and python3-matplotlib for pages with papers or tables. A figure that cannot be made here is left out with
# the program's reason; one that takes longer than its limit is left out, too, and the script exits with 124; a figure that
# fails its check exits with 7.
set -u
program=${1:-build/gravlab}
folder=${2:-$(dirname "$0")}
device=${3:-}
backend=${4:-}
wanted=" ${*:5} "

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
# figure FILE SECONDS NAME [options of bench]: makes DEVICE-FILE within this time.
figure() {
    local file=$1 limit=$2 name=$3 start=$SECONDS code
    shift 3
    [ "$wanted" = "  " ] || [[ "$wanted" = *" $file "* ]] || return
    timeout --signal=INT --kill-after=10 "$limit" "$program" bench --figure "$name" -o "$folder/$device-$file.png" \
        --csv "$folder/$device-$file.csv" "$@" > /dev/null 2> "$folder/.make.log"
    code=$?
    if [ $code = 0 ]; then
        echo "$device-$file: $((SECONDS - start)) s"
    elif [ $code = 124 ] || [ $code = 137 ]; then
        worst=124
        echo "$device-$file: left out: it takes longer than $limit s"
    elif [ $code = 2 ] || [ $code = 4 ]; then
        echo "$device-$file: left out: $(tail -n 1 "$folder/.make.log")"
    else
        worst=$code
        echo "$device-$file: FAILED with $code: $(tail -n 1 "$folder/.make.log")"
    fi
}

# Values that show the shape of each curve within the time: 4 to 5 minutes on an H200, 10 minutes on two cores. The first figures
# are those that papers have, too.
beside=(--beside papers)
if [ "$backend" = cuda ]; then
    on=(--backend cuda --repeats 3)
    figure block-global 40 block "${on[@]}" "${beside[@]}" --kernel global -n 4096 --unroll 16 \
        --block 1,2,3,4,8,16,30,31,32,64,128,256,512,1023,1024
    figure unroll-global 40 unroll "${on[@]}" "${beside[@]}" --kernel global -n 4096,65536 --block 256
    figure ladder 90 ladder "${beside[@]}" --repeats 3 -n 16384
    figure ladder-4k 60 ladder "${beside[@]}" --repeats 3 -n 4096
    figure block-aos 20 block "${on[@]}" --kernel aos -n 4096
    figure bodies 40 bodies "${on[@]}" -n 1024,4096,16384,65536,262144
    figure split-atomics 20 split "${on[@]}" "${beside[@]}" --kernel tiled-atomics -n 4096 --block 128 --split 1,4,8,16,32,64,128
    figure block-atomics 20 block "${on[@]}" "${beside[@]}" --kernel tiled-atomics -n 4096 --split 4 --block 8,16,32,64,128,256,512
    figure matrix 60 matrix "${on[@]}"
    figure threads 60 threads --backend cpu --repeats 3 -n 4096,16384,65536
    figure devices 120 devices "${on[@]}"
    figure waves 40 waves "${on[@]}" -n 4096,8192,16384,32768,65536
    figure unroll 40 unroll "${on[@]}" -n 1024,4096,16384,65536 --block 256
    figure block 40 block "${on[@]}" -n 1024,4096,16384,65536 --unroll 16 --block 16,32,64,128,256,512,1024
    figure cpu-gpu 150 cpu-gpu "${beside[@]}" --repeats 1 -n 1024,4096,16384,65536
    figure energy-dt 30 energy-dt six-body --backend cpu
    figure energy-softening 30 energy-softening six-body --backend cpu
    figure split 20 split "${on[@]}" --kernel tiled-split -n 4096
    figure block-split 30 block-split "${on[@]}" --kernel tiled-split -n 4096 --block 32,64,128,256,512 --split 1,4,16,64
    figure roofline 20 roofline "${on[@]}" -n 65536
    figure accuracy 60 accuracy "${on[@]}" -n 131072 --accuracy 1e-2,1e-3,1e-4,1e-5
    figure crossover 60 crossover "${on[@]}" -n 16384,32768,65536,131072,262144
    figure groups 60 groups plummer "${on[@]}" -n 16384,65536,262144,1048576
    figure depth 40 depth plummer "${on[@]}" -n 16384,65536,262144
    figure bonds 60 bonds "${on[@]}" -n 4000000
else
    on=(--backend cpu --repeats 3)
    figure bodies 200 bodies "${on[@]}" -n 1024,4096,16384
    figure threads 200 threads "${on[@]}" -n 1024,4096,16384
    figure roofline 60 roofline "${on[@]}" -n 4096
    figure accuracy 100 accuracy "${on[@]}" -n 16384
    figure crossover 200 crossover "${on[@]}" -n 2048,4096,8192,16384,32768
    figure groups 100 groups plummer "${on[@]}" -n 4096,16384,65536
    figure depth 100 depth plummer "${on[@]}" -n 4096,16384,65536
    figure ladder 200 ladder "${beside[@]}" --repeats 3 -n 4096
    figure cpu-gpu 200 cpu-gpu "${beside[@]}" --repeats 1 -n 1024,4096
    figure energy-dt 100 energy-dt six-body --backend cpu
    figure energy-softening 100 energy-softening six-body --backend cpu
fi
if [ "$wanted" = "  " ] || [[ "$wanted" = *" memory "* ]]; then
    "$program" memory --backend "$backend" > "$folder/$device-memory.txt" 2> /dev/null && echo "$device-memory"
fi
rm -f "$folder/.make.log"
echo "all: $((SECONDS - begun)) s"
exit $worst
