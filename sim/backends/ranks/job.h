// Processes of one job, on one host or several: rank 0 has the run, and the others are helpers of its forces. Rule: bytes of
// a message follow its letter, and each message is answered before a result of it is taken.
#pragma once
#include "sim/backends/exchange.h"
#include "sim/backends/ranks/transport.h"

#include <chrono>
#include <future>

namespace gravlab {

/// What a process is for its job.
struct RankSelf {
    int cores = 1;          ///< that it may use
    std::string processor;  ///< equal ones give equal bits
    /// Makes the helper for part `part`, from 1; `place`: how many ranks of its host are before it; `order` is what join()
    /// got.
    std::function<std::unique_ptr<Helper>(std::size_t part, int threads, int place, MessageReader order, Transfers& beside)>
        helper;
};

/// One at a time. Rank 0 is driven by any thread; a thread of its own makes all calls of the transport.
class Job final : public Transfers {
public:
    /// Joins the job. A rank is lost when nothing comes from it for `patience` seconds. Throws NoDeviceError.
    Job(const OpenTransport& open, RankSelf self, double patience = 10);
    /// Ends it, as a failure of rank 0 where end() was not called.
    ~Job() override;
    /// On rank 0: sends data to every rank and back. Throws DeviceError with the name of a rank that fails.
    void start();

    /// The job of this process; null where there is none.
    static Job* current();

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }
    /// The job and its transport in a line, on rank 0.
    const std::string& greeting() const { return greeting_; }
    /// Threads of rank 0: ranks with the same cores divide them.
    int threads() const { return shares_.front(); }
    /// Ranks of this host, beside rank 0.
    std::size_t neighbours() const { return neighbours_; }
    std::string deviceWay;  ///< how the data of their devices goes, in words
    /// Makes all other ranks helpers of an exchange, with so many threads each; 0: by their cores.
    void join(Exchange& exchange, int threads, MessageWriter order);
    /// On rank 0: ends all ranks. On others: helps until rank 0 ends. Returns the exit code.
    int end(int code);
    Done transfer(bool out, int rank, int channel, std::span<std::byte> bytes, std::function<void()> before) override;
    bool takesDevices() const override { return takesDevices_; }
    void stayAwake() override { awake_ = kAwakeForDevices; }

private:
    struct Transfer {
        bool out;
        int rank, channel;
        std::span<std::byte> bytes;
        std::function<void()> before;
        std::shared_ptr<std::atomic<bool>> done;
        int operation = -1;
    };
    enum class LetterKind : std::uint8_t { hello, open, message, life, lost, end };
    struct Letter {
        LetterKind kind = LetterKind::life;
        HelperMessage::Kind what = HelperMessage::Kind::end;
        bool failed = false;
        std::uint64_t exchange = 0, method = 0, bytes = 0;
    };
    using Bytes = std::shared_ptr<const MessageBytes>;
    using Begin = std::function<int(std::span<std::byte>)>;
    /// A letter on its way out.
    struct Sent {
        Letter letter;
        Bytes bytes;
        int operations[2] = {-1, -1};
    };
    /// Letters that arrive one after the other.
    struct Arriving {
        Letter letter;
        MessageBytes bytes;
        int operation = -1;
        bool follows = false;  ///< the letter is here, and its bytes are to come
        double silent = 0;     ///< since the last letter [s]
        bool complete(Transport& transport, const Begin& begin);
    };
    struct Place {
        Arriving arriving;
        std::string name;
        bool over = false;
    };
    struct Facts;
    class RankCarrier;

    void run(const OpenTransport& open, std::promise<void>& joined);
    void turn(Transport& transport);
    void take(std::size_t rank, Place& place);
    void obey(Arriving& arrived);
    void welcome(std::span<const std::byte> bytes, Place& place, std::size_t rank);
    void lose(std::size_t rank, const std::string& why);
    void post(Letter letter, Bytes bytes = std::make_shared<MessageBytes>());
    void greet(double seconds, const std::string& by);

    RankSelf self_;
    double patience_;
    int rank_ = 0, ranks_ = 1, code_ = 0;
    bool takesDevices_ = false;
    std::atomic<std::chrono::microseconds> awake_{std::chrono::microseconds(200)};  ///< after a letter
    std::string greeting_;
    std::vector<int> shares_;
    std::vector<Facts> facts_;
    std::size_t neighbours_ = 0;

    std::mutex mutex_;  // of what follows
    std::condition_variable changed_;
    std::vector<Sent> queue_;
    std::vector<Transfer> wanted_;
    std::map<std::uint64_t, std::vector<std::shared_ptr<Answers>>> answers_;  ///< of exchanges, on rank 0
    std::uint64_t exchanges_ = 0;
    std::size_t welcomed_ = 0;
    std::string lost_;          ///< why a rank is gone
    std::size_t lostRank_ = 0;  ///< which
    bool ending_ = false;

    // Of the thread.
    std::deque<Sent> out_;
    std::vector<Transfer> transfers_;
    std::vector<Place> places_;  ///< those that letters come from
    std::map<std::uint64_t, std::unique_ptr<HelperThread>> helpers_;
    std::vector<std::unique_ptr<HelperThread>> ended_;
    std::string name_;
    bool deaf_ = false;  ///< receives nothing more, after a failure
    std::chrono::steady_clock::time_point moved_, beaten_, looked_;
    std::thread thread_;
};

}  // namespace gravlab
