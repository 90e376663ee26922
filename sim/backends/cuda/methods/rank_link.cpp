// How the data of ranks' devices goes, and the trials at the start.
#include "sim/api/errors.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/methods/rank_messages.h"
#include "sim/backends/cuda/methods/ranked.h"
#include "sim/core/text.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>

namespace gravlab::cuda {
namespace {

constexpr std::size_t kTimedBytes = std::size_t{32} << 20;

/// An MPI that takes device memory. Its calls are those of the job's thread.
class MpiLink final : public DeviceLink {
public:
    MpiLink(Transfers& beside, int rank, int ranks, int channel, int device)
        : beside_(beside), rank_(rank), ranks_(ranks), channel_(channel), device_(device) {}
    std::string name() const override { return "MPI from device to device"; }
    void broadcast(std::byte* memory, std::size_t bytes) override {
        Pieces pieces;
        for (int rank = rank_ == 0 ? 1 : 0; rank < (rank_ == 0 ? ranks_ : 1); ++rank)
            pieces.push_back({rank, memory, bytes});
        begin(pieces, rank_ == 0);
    }
    void send(const Pieces& pieces) override { begin(pieces, true); }
    void receive(const Pieces& pieces) override { begin(pieces, false); }
    bool reached() override {
        std::erase_if(underWay_, [](const auto& done) { return done->load(); });
        if (!underWay_.empty() && Clock::now() > limit_) throw DeviceError("MPI waits for a rank that does not come");
        return underWay_.empty();
    }

private:
    void begin(const Pieces& pieces, bool out) {
        limit_ = limitOf(bytesOf(pieces));
        for (const Piece& piece : pieces)
            underWay_.push_back(beside_.transfer(out, piece.rank, channel_, {piece.memory, piece.bytes},
                                                 [device = device_] { setDevice(device); }));
    }

    Transfers& beside_;
    int rank_, ranks_, channel_, device_;
    Clock::time_point limit_;
    std::vector<std::shared_ptr<const std::atomic<bool>>> underWay_;
};

/// Tries a link on all ranks. Returns why it is not taken, or nothing.
std::string tryWay(RankDevices& ranks, Way way, Job& job, int device, Stream stream) {
    static std::atomic<int> channels = 0;
    RankedFacts facts;
    facts.way = way;
    facts.ranks = static_cast<int>(ranks.exchange.helpers()) + 1;
    facts.channel = 1 + channels++ % 30000;
    const std::uint64_t method = ranks.exchange.newMethod();
    std::string why;
    double rate = 0;
    try {
        if (way == Way::nccl) facts.id = newNcclId();
        MessageWriter data;
        data.add(facts);
        ranks.exchange.send({HelperMessage::Kind::create, method, data.take()});
        ranks.link = makeLink(facts, 0, job, device);
        rate = tryLink(*ranks.link, 0, facts.ranks, stream);
        if (rate == 0) why = ranks.link->name() + " changed data";
    } catch (const DeviceError& error) {
        why = error.what();
    }
    try {
        ranks.exchange.answered(method, kNoDeadline);
    } catch (const DeviceError& error) {
        if (why.empty()) why = error.what();
    }
    ranks.fast = why.empty();
    if (!ranks.fast) return ranks.link.reset(), why;
    ranks.way = " by " + ranks.link->name();
    job.deviceWay = formatted("; 32 MiB went to every rank at %.3g GB/s", 1e-9 * rate);
    return {};
}

}  // namespace

bool holds(const std::byte* memory, std::size_t rank, Stream stream) {
    std::vector<std::byte> found(kSlotBytes), wanted(kSlotBytes);
    copyNow(found.data(), memory, kSlotBytes, Copy::toHost, stream);
    writeTrial(wanted, rank);
    return found == wanted;
}
void fill(std::byte* memory, std::size_t rank, Stream stream) {
    std::vector<std::byte> data(kSlotBytes);
    writeTrial(data, rank);
    copyNow(memory, data.data(), kSlotBytes, Copy::toDevice, stream);
}

std::string deviceName(int device) {
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    DeviceFacts facts;
    CUDA_CHECK(deviceFacts(device, facts));
    return std::string(host) + " " + facts.pciBus;
}

std::unique_ptr<DeviceLink> makeLink(const RankedFacts& facts, int rank, Transfers& beside, int device) {
    if (facts.way == Way::nccl) return std::make_unique<Nccl>(facts.id, rank, facts.ranks);
    return std::make_unique<MpiLink>(beside, rank, facts.ranks, facts.channel, device);
}

double tryLink(DeviceLink& link, int rank, int ranks, Stream stream) {
    const bool first = rank == 0;
    const DeviceArray<std::byte> memory(std::max(kTimedBytes, static_cast<std::size_t>(ranks) * kSlotBytes));
    if (first) fill(memory.data(), 0, stream);
    link.broadcast(memory.data(), kSlotBytes);
    link.wait();
    Pieces slots;
    for (int other = 1; other < ranks && first; ++other)
        slots.push_back({other, memory.data() + other * kSlotBytes, kSlotBytes});
    if (first) {
        link.receive(slots);
    } else {
        // Wrong data is sent where wrong data came.
        fill(memory.data(), holds(memory.data(), 0, stream) ? static_cast<std::size_t>(rank) : 0, stream);
        link.send({{0, memory.data(), kSlotBytes}});
    }
    link.wait();
    const bool same = std::ranges::all_of(
        slots, [&](const auto& slot) { return holds(slot.memory, static_cast<std::size_t>(slot.rank), stream); });
    double seconds = 0;
    for (int time = 0; time < 2; ++time) {  // the first one also connects the ranks
        const auto begun = std::chrono::steady_clock::now();
        link.broadcast(memory.data(), kTimedBytes);
        link.wait();
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    }
    return same ? static_cast<double>(kTimedBytes) / seconds : 0;
}

void linkRanks(RankDevices& ranks, Job& job, int device, Stream stream) {
    const char* const text = std::getenv("GRAVLAB_LINK");
    const std::string_view wanted = !peersAllowed() ? "host" : text ? text : "ipc";
    const auto named = std::ranges::find(kWayNames, wanted);
    if (named == std::end(kWayNames))
        throw UsageError("GRAVLAB_LINK is '" + std::string(wanted) + "'; it takes ipc, nccl, mpi or host");
    const auto first = static_cast<std::size_t>(named - kWayNames);
    Exchange& exchange = ranks.exchange;
    const NamedMemory trial((exchange.helpers() + 1) * kSlotBytes);
    fill(trial.memory.data(), 0, stream);
    const std::uint64_t method = exchange.newMethod();
    RankedFacts facts;
    facts.way = first == 0 ? Way::ipc : Way::host;
    facts.handle = trial.handle;
    MessageWriter data;
    data.add(facts);
    exchange.send({HelperMessage::Kind::create, method, data.take()});
    exchange.answered(method, kNoDeadline);
    std::size_t mapped = 0;
    std::set<std::string> devices;
    std::string without[kLinkWays];
    if (ncclVersion().empty()) without[static_cast<std::size_t>(Way::nccl)] = "0";
    for (std::size_t k = 1; k <= exchange.helpers(); ++k) {
        const auto answer = MessageReader(exchange.result(method, k - 1)).get<TrialAnswer>();
        devices.insert(answer.device);
        for (std::size_t way = 1; way < kLinkWays; ++way)
            if (!answer.has[way]) without[way] = std::to_string(k);
        if (!answer.mapped) continue;
        ++mapped;
        if (!holds(trial.memory.data() + k * kSlotBytes, k, stream))
            throw DeviceError("data of rank " + std::to_string(k) +
                              " came back changed through CUDA IPC; GRAVLAB_LINK=nccl or host takes another way");
    }
    exchange.send({HelperMessage::Kind::forget, method});
    devices.insert(deviceName(device));
    ranks.devices = devices.size();
    job.stayAwake();
    const std::string by = " by CUDA IPC";
    ranks.fast = mapped == exchange.helpers();
    ranks.way = ranks.fast ? by : mapped > 0 ? ", " + std::to_string(mapped) + by + ", others" + kThroughHost : kThroughHost;
    for (std::size_t way = std::max<std::size_t>(1, first); way < kLinkWays && !ranks.fast; ++way) {
        const bool nccl = way == static_cast<std::size_t>(Way::nccl);
        if (!without[way].empty()) {
            if (nccl) ranks.way += " (rank " + without[way] + " has no libnccl.so.2 from 2.18 on)";
            continue;
        }
        if (const std::string why = tryWay(ranks, static_cast<Way>(way), job, device, stream); !why.empty())
            ranks.way += " (" + why + ")";
    }
}

}  // namespace gravlab::cuda
