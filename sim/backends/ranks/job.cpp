#include "sim/backends/ranks/job.h"

#include "sim/api/errors.h"
#include "sim/core/text.h"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <set>
#include <utility>

namespace gravlab {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr std::size_t kTrialBytes = 1 << 20;
Job* currentJob = nullptr;

double secondsSince(SteadyClock::time_point start) {
    return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// Known data, different on the way out and back.
const MessageBytes& trialBytes(bool back) {
    const auto made = [](std::size_t number) {
        MessageBytes bytes(kTrialBytes);
        writeTrial(bytes, number);
        return bytes;
    };
    static const MessageBytes there = made(0), again = made(1);
    return back ? again : there;
}

bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

/// Says why there is no helper.
class MissingHelper final : public Helper {
public:
    explicit MissingHelper(std::string why) : why_(std::move(why)) {}
    MessageBytes act(const HelperMessage&, const std::function<bool()>&) override { throw std::runtime_error(why_); }

private:
    std::string why_;
};

}  // namespace

/// What rank 0 knows of each.
struct Job::Facts {
    char host[64] = "", processor[192] = "";
    std::uint64_t process = 0, programBytes = 0;
    int cores = 0;
    cpu_set_t allowed{};

    explicit Facts(const RankSelf* self = nullptr) {
        if (!self) return;
        gethostname(host, sizeof host - 1);
        std::snprintf(processor, sizeof processor, "%s", self->processor.c_str());
        process = static_cast<std::uint64_t>(getpid());
        std::error_code none;
        programBytes = std::filesystem::file_size("/proc/self/exe", none);
        cores = self->cores;
        sched_getaffinity(0, sizeof allowed, &allowed);
    }
};

/// Brings messages of one exchange to all ranks.
class Job::RankCarrier final : public Carrier {
public:
    RankCarrier(Job& job, std::uint64_t exchange) : job_(job), exchange_(exchange) {}
    ~RankCarrier() override {
        send(std::make_shared<const HelperMessage>());
        const std::lock_guard lock(job_.mutex_);
        job_.answers_.erase(exchange_);
    }
    void send(std::shared_ptr<const HelperMessage> message) override {
        const Bytes bytes(message, &message->data);
        job_.post({LetterKind::message, message->kind, false, exchange_, message->method}, bytes);
    }

private:
    Job& job_;
    std::uint64_t exchange_;
};

Job* Job::current() { return currentJob; }

Job::Job(const OpenTransport& open, RankSelf self, double patience) : self_(std::move(self)), patience_(patience) {
    std::promise<void> joined;
    thread_ = std::thread([&] { run(open, joined); });
    try {
        joined.get_future().get();
    } catch (...) {
        thread_.join();
        throw;
    }
}

void Job::start() {
    SteadyClock::time_point begin;
    // The first trial also connects the ranks; the second one is timed.
    for (std::size_t trial = 1; trial <= 2; ++trial) {
        begin = SteadyClock::now();
        post({LetterKind::hello}, std::make_shared<MessageBytes>(trialBytes(false)));
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return welcomed_ == trial * (facts_.size() - 1) || !lost_.empty(); });
        if (!lost_.empty())
            throw DeviceError("rank " + std::to_string(lostRank_) + places_[lostRank_].name +
                              " failed at the start: " + lost_);
    }
    greet(secondsSince(begin), name_);
    currentJob = this;
}

Job::~Job() {
    end(static_cast<int>(ExitCode::deviceFailure));
    if (currentJob == this) currentJob = nullptr;
}

int Job::end(int code) {
    {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(ending_, true) && rank_ == 0) {
            code_ = code;
            queue_.push_back({{LetterKind::end}, std::make_shared<MessageBytes>()});
        }
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    return rank_ == 0 ? code : code_;
}

void Job::join(Exchange& exchange, int threads, MessageWriter order) {
    std::vector<std::shared_ptr<Answers>> answers;
    std::vector<std::string> names;
    std::vector<double> weights;
    MessageWriter data;
    data.add(exchange.helpers() + 1);
    for (int rank = 1; rank < ranks_; ++rank) {
        const std::size_t r = static_cast<std::size_t>(rank);
        const int share = threads > 0 ? threads : shares_[r];
        data.add(
            std::array{share, static_cast<int>(std::count_if(facts_.begin(), facts_.begin() + rank, [&](const Facts& one) {
                           return std::string_view(one.host) == facts_[r].host;
                       }))});
        answers.push_back(std::make_shared<Answers>());
        names.push_back("rank " + std::to_string(rank) + " on " + facts_[r].host);
        weights.push_back(share);
    }
    data.add(std::span<const std::byte>(order.take()));
    std::uint64_t id = 0;
    {
        const std::lock_guard lock(mutex_);
        answers_[id = ++exchanges_] = answers;
        if (!lost_.empty()) answers[lostRank_ - 1]->lose(lost_);
    }
    post({LetterKind::open, HelperMessage::Kind::create, false, id}, std::make_shared<MessageBytes>(data.take()));
    exchange.add(std::make_unique<RankCarrier>(*this, id), names, weights, answers);
}

void Job::post(Letter letter, Bytes bytes) {
    letter.bytes = bytes->size();
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back({letter, std::move(bytes)});
    }
    changed_.notify_all();
}

Transfers::Done Job::transfer(bool out, int rank, int channel, std::span<std::byte> bytes, std::function<void()> before) {
    auto done = std::make_shared<std::atomic<bool>>(false);
    {
        const std::lock_guard lock(mutex_);
        wanted_.push_back({out, rank, channel, bytes, std::move(before), done});
    }
    changed_.notify_all();
    return done;
}

bool Job::Arriving::complete(Transport& transport, const Begin& begin) {
    if (operation < 0) operation = begin(std::as_writable_bytes(std::span(&letter, 1)));
    if (!transport.done(operation)) return false;
    operation = -1;
    if (follows || letter.bytes == 0) {
        if (!std::exchange(follows, false)) bytes.clear();
        return true;
    }
    bytes.resize(letter.bytes);
    follows = true;
    silent = -static_cast<double>(letter.bytes) / kSlowestTransfer;
    operation = begin(bytes);
    return complete(transport, begin);
}

void Job::run(const OpenTransport& open, std::promise<void>& joined) {
    prctl(PR_SET_TIMERSLACK, 1000);  // [ns] of this thread
    std::unique_ptr<Transport> transport;
    try {
        transport = open();
        rank_ = transport->rank();
        ranks_ = transport->ranks();
        name_ = transport->name();
        takesDevices_ = transport->takesDevices();
        facts_.resize(static_cast<std::size_t>(ranks_), Facts());
        facts_[static_cast<std::size_t>(rank_)] = Facts(&self_);
        places_ = std::vector<Place>(rank_ == 0 ? facts_.size() : 1);
        places_[0].over = rank_ == 0;
        moved_ = beaten_ = looked_ = SteadyClock::now();
        joined.set_value();
    } catch (...) {
        joined.set_exception(std::current_exception());
        return;
    }
    for (;;) {
        try {
            turn(*transport);
        } catch (const std::exception& error) {
            // Rank 0 gets the reason, and ends the job.
            deaf_ = true;
            const std::string why = error.what();
            const auto text = std::as_bytes(std::span(why));
            post({LetterKind::lost}, std::make_shared<MessageBytes>(text.begin(), text.end()));
            if (rank_ == 0) lose(places_.size() - 1, "sent what rank 0 could not take: " + why);
        }
        std::unique_lock lock(mutex_);
        if (rank_ == 0 && ending_ && !lost_.empty()) return transport->abort(code_);
        const bool over = std::ranges::all_of(places_, [](const Place& place) { return place.over; });
        if (over && out_.empty() && queue_.empty() && (rank_ != 0 || ending_)) return;
        // MPI moves bytes within its calls only, a piece in each: a transfer or an answer to come gets all calls that others
        // leave room for. Later on polls become rare; a letter of this process is sent at once.
        const auto quiet = std::chrono::duration_cast<microseconds>(SteadyClock::now() - moved_);
        if (quiet < awake_.load() || !transfers_.empty() ||
            std::ranges::any_of(out_, [](const Sent& sent) { return !sent.bytes->empty(); }) ||
            std::ranges::any_of(places_, [](const Place& place) { return place.arriving.follows; })) {
            lock.unlock();
            std::this_thread::yield();
            continue;
        }
        changed_.wait_for(lock, std::clamp(quiet / 64, microseconds(10), microseconds(1000)),
                          [this] { return !queue_.empty() || !wanted_.empty(); });
    }
}

void Job::turn(Transport& transport) {
    const auto now = SteadyClock::now();
    if (secondsSince(beaten_) > patience_ / 10) post({});
    {
        const std::lock_guard lock(mutex_);
        for (Sent& sent : queue_) out_.push_back(std::move(sent));
        queue_.clear();
        for (Transfer& one : wanted_) {
            if (one.before) one.before();
            one.operation = one.out ? transport.send(one.rank, one.bytes, one.channel)
                                    : transport.receive(one.rank, one.bytes, one.channel);
            transfers_.push_back(std::move(one));
        }
        wanted_.clear();
    }
    std::erase_if(transfers_, [&](const Transfer& one) { return transport.done(one.operation) && (*one.done = true); });
    for (Sent& sent : out_) {
        if (sent.operations[0] >= 0) continue;
        beaten_ = now;
        const auto begin = [&](const void* from, std::size_t bytes) {
            const std::span span(static_cast<std::byte*>(const_cast<void*>(from)), bytes);
            return rank_ == 0 ? transport.broadcast(span) : transport.send(0, span);
        };
        sent.operations[0] = begin(&sent.letter, sizeof sent.letter);
        if (!sent.bytes->empty()) sent.operations[1] = begin(sent.bytes->data(), sent.bytes->size());
        if (sent.letter.kind != LetterKind::life) moved_ = now;
    }
    for (; !out_.empty(); out_.pop_front()) {
        Sent& first = out_.front();
        if (first.operations[0] > 0 && transport.done(first.operations[0])) first.operations[0] = 0;
        if (first.operations[0] == 0 && first.operations[1] > 0 && transport.done(first.operations[1]))
            first.operations[1] = -1;
        if (first.operations[0] != 0 || first.operations[1] > 0) break;
    }
    // A process that was stopped itself has heard nothing meanwhile.
    const double passed = std::min(std::chrono::duration<double>(now - looked_).count(), patience_ / 10);
    looked_ = now;
    for (std::size_t rank = 0; rank < places_.size(); ++rank) {
        Place& place = places_[rank];
        const auto begin = [&](std::span<std::byte> to) {
            return rank_ == 0 ? transport.receive(static_cast<int>(rank), to) : transport.broadcast(to);
        };
        while (!place.over && !deaf_ && place.arriving.complete(transport, begin)) {
            place.arriving.silent = 0;
            if (place.arriving.letter.kind != LetterKind::life) moved_ = now;
            if (rank_ == 0)
                take(rank, place);
            else
                obey(place.arriving);
        }
        if (place.over || deaf_ || (place.arriving.silent += passed) < patience_) continue;
        if (rank_ == 0) {
            lose(rank, "it gave no sign of life for " + formatted("%g", patience_) + " s");
        } else {
            std::fprintf(stderr, "gravlab: rank %d on %s ends, because rank 0 gave no sign of life for %g s\n", rank_,
                         facts_[static_cast<std::size_t>(rank_)].host, patience_);
            transport.abort(static_cast<int>(ExitCode::deviceFailure));
            place.over = true;
        }
    }
    std::erase_if(ended_, [](const auto& helper) { return helper->ended(); });
}

void Job::take(std::size_t rank, Place& place) {
    const Letter& letter = place.arriving.letter;
    MessageBytes& bytes = place.arriving.bytes;
    const auto text = [&] { return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()); };
    if (letter.kind == LetterKind::hello) welcome(bytes, place, rank);
    if (letter.kind == LetterKind::end) place.over = true;
    if (letter.kind == LetterKind::lost) lose(rank, text());
    if (letter.kind != LetterKind::message) return;
    const std::lock_guard lock(mutex_);
    const auto exchange = answers_.find(letter.exchange);
    if (exchange == answers_.end()) return;
    std::string failure = letter.failed ? text() : std::string();
    if (letter.failed) bytes.clear();
    exchange->second[rank - 1]->take(letter.what, letter.method, std::move(failure), std::move(bytes));
}

void Job::welcome(std::span<const std::byte> bytes, Place& place, std::size_t rank) {
    MessageReader from(bytes);
    from.get(std::span(&facts_[rank], 1));
    place.name = " on " + std::string(facts_[rank].host);
    if (!same(from.rest(), trialBytes(true))) return lose(rank, "data came back changed");
    if (facts_[rank].programBytes != facts_[0].programBytes) return lose(rank, "it runs another build of gravlab");
    const std::lock_guard lock(mutex_);
    ++welcomed_;
    changed_.notify_all();
}

void Job::lose(std::size_t rank, const std::string& why) {
    places_[rank].over = true;
    const std::lock_guard lock(mutex_);
    lost_ = why + "; the job cannot continue without it";
    lostRank_ = rank;
    for (const auto& [exchange, answers] : answers_) answers[rank - 1]->lose(lost_);
    changed_.notify_all();
}

void Job::obey(Arriving& arrived) {
    const Letter letter = arrived.letter;
    auto bytes = std::make_shared<MessageBytes>(std::move(arrived.bytes));
    if (letter.kind == LetterKind::hello) {
        MessageWriter reply;
        reply.add(facts_[static_cast<std::size_t>(rank_)]);
        reply.add(std::span<const std::byte>(trialBytes(same(*bytes, trialBytes(false)))));
        post({LetterKind::hello}, std::make_shared<MessageBytes>(reply.take()));
    } else if (letter.kind == LetterKind::open) {
        MessageReader order(*bytes);
        const std::size_t part = order.get<std::size_t>() + static_cast<std::size_t>(rank_) - 1;
        std::vector<std::array<int, 2>> shares(static_cast<std::size_t>(ranks_) - 1);
        order.get(std::span(shares));
        const auto [threads, place] = shares[static_cast<std::size_t>(rank_) - 1];
        std::unique_ptr<Helper> helper;
        try {
            helper = self_.helper(part, threads, place, order, *this);
        } catch (const std::exception& error) {
            helper = std::make_unique<MissingHelper>(error.what());
        }
        const auto answer = [this, exchange = letter.exchange](const HelperMessage& message, const std::string& failure,
                                                               MessageBytes result) {
            const auto text = std::as_bytes(std::span(failure));
            if (!failure.empty()) result.assign(text.begin(), text.end());
            post({LetterKind::message, message.kind, !failure.empty(), exchange, message.method},
                 std::make_shared<MessageBytes>(std::move(result)));
        };
        helpers_[letter.exchange] = std::make_unique<HelperThread>(std::move(helper), answer);
    } else if (letter.kind == LetterKind::message) {
        const auto helper = helpers_.find(letter.exchange);
        if (helper == helpers_.end()) return;
        helper->second->send(
            std::make_shared<const HelperMessage>(HelperMessage{letter.what, letter.method, std::move(*bytes)}));
        if (letter.what != HelperMessage::Kind::end) return;
        ended_.push_back(std::move(helper->second));
        helpers_.erase(helper);
    } else if (letter.kind == LetterKind::end) {
        helpers_.clear();
        ended_.clear();
        places_[0].over = true;
        post({LetterKind::end});
    }
}

void Job::greet(double seconds, const std::string& by) {
    std::set<std::string> hosts;
    for (const Facts& one : facts_) {
        hosts.insert(one.host);
        const auto same = std::ranges::count_if(facts_, [&](const Facts& other) {
            return std::string_view(other.host) == one.host && CPU_EQUAL(&other.allowed, &one.allowed);
        });
        shares_.push_back(std::max(1, one.cores / static_cast<int>(same)));
        neighbours_ += std::string_view(one.host) == facts_[0].host;
    }
    --neighbours_;
    const auto [least, most] = std::ranges::minmax(shares_);
    greeting_ = std::to_string(ranks_) + " ranks on " + std::to_string(hosts.size()) +
                (hosts.size() == 1 ? " host, " : " hosts, ") + (least == most ? "" : std::to_string(least) + " to ") +
                std::to_string(most) + (most == 1 ? " thread each, by " : " threads each, by ") + by +
                formatted("; 1 MiB went to every rank and back in %.3g ms", 1e3 * seconds);
    for (std::size_t rank = 1; rank < facts_.size(); ++rank)
        if (std::string_view(facts_[rank].processor) != facts_[0].processor)
            greeting_ += "\ngravlab: rank " + std::to_string(rank) + " on " + facts_[rank].host +
                         " has another processor (" + facts_[rank].processor +
                         "), so last bits may differ from those of one process";
}

}  // namespace gravlab
