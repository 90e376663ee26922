#include "app/services/saver.h"

#include "app/files/open_file.h"
#include "app/files/scene_file.h"

#include <csignal>
#include <exception>
#include <new>
#include <utility>

namespace gravlab {
namespace {

/// Runs the work of one job; a failure becomes its text.
template <class Work>
FileResult outcome(FileResult result, Work work) {
    try {
        work(result);
    } catch (const std::bad_alloc&) {
        result.error = result.path + ": there is not enough memory for it";
    } catch (const std::exception& error) {
        result.error = error.what();
    }
    return result;
}

}  // namespace

Saver::Saver() {
    // Signals are for the thread that runs steps or frames.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { work(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Saver::~Saver() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Saver::add(Job job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return jobs_.size() < kMostQueued; });
    jobs_.push_back(std::move(job));
    changed_.notify_all();
}

void Saver::save(std::string path, std::function<Snapshot()> later, const WriteOptions& options, std::string purpose) {
    add([path = std::move(path), purpose = std::move(purpose), later = std::move(later), options] {
        return outcome({.kind = FileResult::Kind::saved, .path = path, .purpose = purpose, .error = {}},
                       [&](FileResult&) { writeSnapshot(path, later(), options); });
    });
}

void Saver::open(std::string path, const ReadOptions& options, std::string purpose) {
    add([path = std::move(path), purpose = std::move(purpose), options] {
        return outcome({.kind = FileResult::Kind::opened, .path = path, .purpose = purpose, .error = {}},
                       [&](FileResult& result) { result.offer = openStart(path, options); });
    });
}

void Saver::openScene(std::string path, Options base, std::string purpose) {
    add([path = std::move(path), purpose = std::move(purpose), base = std::move(base)]() mutable {
        return outcome({.kind = FileResult::Kind::opened, .path = path, .purpose = purpose, .error = {}},
                       [&](FileResult& result) {
                           base.file = path;
                           result.scene = withSceneFile(base);
                       });
    });
}

bool Saver::busy() const {
    const std::lock_guard lock(mutex_);
    return working_ || !jobs_.empty();
}

void Saver::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !working_ && jobs_.empty(); });
}

std::vector<FileResult> Saver::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(results_, {});
}

void Saver::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        working_ = true;
        changed_.notify_all();
        lock.unlock();
        FileResult result = job();
        job = nullptr;  // lets go of the bodies
        lock.lock();
        working_ = false;
        results_.push_back(std::move(result));
        changed_.notify_all();
    }
}

}  // namespace gravlab
