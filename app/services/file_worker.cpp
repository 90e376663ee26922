#include "app/services/file_worker.h"

#include "app/control/open_file.h"
#include "app/control/scene_file.h"

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

void FileWorker::save(std::string path, std::function<Snapshot()> later, const WriteOptions& options, std::string purpose,
                      Ticket ticket) {
    worker_.ask([path = std::move(path), purpose = std::move(purpose), later = std::move(later), options, ticket] {
        return outcome({.kind = FileResult::Kind::saved, .path = path, .purpose = purpose, .error = {}, .ticket = ticket},
                       [&](FileResult&) { writeSnapshot(path, later(), options); });
    });
}

void FileWorker::open(std::string path, const ReadOptions& options, std::string purpose, Ticket ticket) {
    worker_.ask([path = std::move(path), purpose = std::move(purpose), options, ticket] {
        return outcome({.kind = FileResult::Kind::opened, .path = path, .purpose = purpose, .error = {}, .ticket = ticket},
                       [&](FileResult& result) { result.offer = openStart(path, options, result.purpose != "recover"); });
    });
}

void FileWorker::openScene(std::string path, Options base, std::string purpose, Ticket ticket) {
    worker_.ask([path = std::move(path), purpose = std::move(purpose), base = std::move(base), ticket]() mutable {
        return outcome({.kind = FileResult::Kind::opened, .path = path, .purpose = purpose, .error = {}, .ticket = ticket},
                       [&](FileResult& result) {
                           base.file = path;
                           result.scene = withSceneFile(base);
                       });
    });
}

std::vector<FileResult> FileWorker::take() {
    std::vector<FileResult> results;
    while (std::optional<FileResult> result = worker_.poll()) results.push_back(std::move(*result));
    return results;
}

}  // namespace gravlab
