#!/usr/bin/env bash
# Counts, with Nsight Compute, the quantities that docs/nsight.md gives by formulas, for the rows `global`, `soa` and `tiled`:
#   docs/benchmarks/nsight.sh [PROGRAM [FILE.csv [BODIES [BLOCK[,BLOCK...]]]]]
# PROGRAM: the gravlab binary (build/gravlab). FILE.csv: for the numbers (nsight.csv); a table of them is printed.
# BODIES and BLOCK: 16384 and 128; BODIES a multiple of BLOCK, which is a multiple of 32. With several blocks, of any size that
# divides BODIES, `global` and `tiled` are counted: counters over the number of blocks, which paper 003 announces, with the
# cycles of a launch and what warps wait for. KERNELS names other rows of the three, NCU another ncu.
# Needs an NVIDIA GPU whose driver allows counters (root, or NVreg_RestrictProfilingToAdminUsers=0). Exits with 1 when ncu does not
# run or a counter is missing. A number far from its formula is marked in the column `agrees`; it is no failure of the script,
# because such differences are the subject of docs/nsight.md.
set -u
program=${1:-build/gravlab}
out=${2:-nsight.csv}
bodies=${3:-16384}
IFS=, read -ra blocks <<< "${4:-128}"
ncu=${NCU:-ncu}
if [ ${#blocks[@]} = 1 ]; then rows=${KERNELS:-global soa tiled}; else rows=${KERNELS:-global tiled}; fi
declare -A functions=([global]=forceGlobal [soa]=forceSoa [tiled]=tiledForce)

die() { echo "nsight.sh: $*" >&2; exit 1; }
command -v "$ncu" > /dev/null || die "there is no '$ncu': install Nsight Compute, or name it in NCU"
[ -x "$program" ] || die "there is no program '$program': build it, or name it as the first argument"
for block in "${blocks[@]}"; do
    [ "$block" -gt 0 ] && [ "$bodies" -gt 0 ] && [ $((bodies % block)) = 0 ] ||
        die "$bodies bodies and blocks of $block threads: the formulas are for whole blocks"
    [ ${#blocks[@]} -gt 1 ] || [ $((block % 32)) = 0 ] ||
        die "a block of $block threads: the formulas of three rows are for whole warps; several blocks take any size"
done

metrics=(
    launch__registers_per_thread
    launch__waves_per_multiprocessor
    sm__warps_active.avg.pct_of_peak_sustained_active
    smsp__issue_active.avg.pct_of_peak_sustained_active
    smsp__inst_executed.sum
    smsp__inst_executed_pipe_xu.sum
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    l1tex__t_sector_hit_rate.pct
    lts__t_sector_hit_rate.pct
    dram__bytes_read.sum
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
)
# With several blocks: cycles, and the warps that wait, per issued instruction, for a barrier, for global memory, for shared
# memory, for a fixed latency, or for a unit that is busy.
if [ ${#blocks[@]} -gt 1 ]; then
    metrics+=(sm__cycles_elapsed.max sm__cycles_active.avg)
    for reason in barrier long_scoreboard short_scoreboard wait math_pipe_throttle; do
        metrics+=("smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio")
    done
fi
list=$(IFS=,; echo "${metrics[*]}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# measure ROW FUNCTION BLOCK: counts one launch of that function.
measure() {
    local row=$1 function=$2 block=$3
    # The first launches belong to the check and fill the caches; counted is a launch that has others before and behind it.
    "$ncu" --csv --page raw --print-units base --metrics "$list" --kernel-name-base function --kernel-name "regex:^$function" \
        --launch-skip 4 --launch-count 1 --log-file "$scratch/$row-$block.csv" \
        "$program" bench --backend cuda --kernel "$row" -n "$bodies" --block "$block" --unroll 16 --steps 8 --repeats 1 \
        > "$scratch/$row.out" 2>&1
    local code=$?
    # A rate under a profiler means nothing; the bench only has to run.
    if [ ! -s "$scratch/$row-$block.csv" ] || grep -q '^==ERROR==' "$scratch/$row-$block.csv"; then
        grep '==ERROR==' "$scratch/$row-$block.csv" "$scratch/$row.out" >&2
        tail -3 "$scratch/$row.out" >&2
        die "ncu counted nothing of '$row' (the program ended with $code)"
    fi
}

for row in $rows; do
    [ -n "${functions[$row]:-}" ] || die "there are no formulas for '$row': take global, soa or tiled"
    for block in "${blocks[@]}"; do measure "$row" "${functions[$row]}" "$block"; done
done

command -v python3 > /dev/null || die "there is no python3 to read what ncu wrote"
python3 - "$scratch" "$out" "$bodies" "$(IFS=,; echo "${blocks[*]}")" "$rows" "${metrics[@]}" << 'PYTHON' || exit 1
import csv, datetime, sys
scratch, out, bodies = sys.argv[1], sys.argv[2], int(sys.argv[3])
blocks = [int(block) for block in sys.argv[4].split(",")]
names, metrics = sys.argv[5].split(), sys.argv[6:]
# Instructions a directed pair as sim/backends/cuda/kernel_table.cpp has them; global loads in sectors of 32 bytes; wavefronts of shared loads, two for a broadcast of 16 bytes. See docs/nsight.md.
def rows_of(block):
    pairs = bodies * (bodies // block) * -(-block // 32)  # a warp visits every body, with as many targets as it has lanes
    rows = {
        "global": dict(pairs=pairs, issued=14.3, sectors=pairs, shared=0),
        "soa": dict(pairs=pairs, issued=17.3, sectors=4 * pairs, shared=0),
        "tiled": dict(pairs=pairs, issued=14, sectors=(bodies / block) ** 2 * -(-block // 2), shared=2 * pairs),
    }
    return {name: rows[name] for name in names}
def expected(metric, row):
    pairs = row["pairs"]
    return {
        "smsp__inst_executed.sum": row["issued"] * pairs,
        "smsp__inst_executed_pipe_xu.sum": pairs,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": row["sectors"],
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": row["shared"],
        "dram__bytes_read.sum": 16 * bodies,
    }.get(metric)
lines, missing = [], []
for block, name, row in [(block, name, row) for block in blocks for name, row in rows_of(block).items()]:
    with open(f"{scratch}/{name}-{block}.csv", newline="") as file:
        text = [line for line in file if line.startswith('"')]  # ncu writes remarks before the table
    table = list(csv.reader(text))
    if len(table) < 3:
        sys.exit(f"nsight.sh: ncu wrote no table for '{name}'")
    head, values = table[0], table[-1]  # the second line has units, which are the base ones
    for metric in metrics:
        if metric not in head or not values[head.index(metric)]:
            missing.append(f"{name}: {metric}")
            continue
        counted = float(values[head.index(metric)].replace(",", ""))
        formula = expected(metric, row)
        ratio = agrees = ""
        if formula is not None:
            ratio = f"{counted / formula:.4g}" if formula else ("1" if counted == 0 else "inf")
            # A few per cent come from the begin and the end of a kernel. Where a formula gives 0, small counts agree.
            near = abs(counted / formula - 1) <= 0.1 if formula else counted <= 0.001 * row["pairs"]
            agrees = "yes" if near else "no"
        lines.append([name, bodies, block, metric, f"{counted:.10g}", "" if formula is None else f"{formula:.10g}", ratio, agrees])
with open(out, "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["kernel", "bodies", "block", "counter", "counted", "expected", "counted_over_expected", "agrees", "date"])
    writer.writerows(line + [datetime.date.today().isoformat()] for line in lines)
for line in lines:
    print(f"{line[0]:8} {line[2]:5} {line[3]:56} {line[4]:>14} {line[5]:>14} {line[6]:>8} {line[7]}")
if missing:
    sys.exit("nsight.sh: ncu has no such counter on this device: " + "; ".join(missing))
print(f"written to {out}")
PYTHON
