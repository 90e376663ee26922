// The window's content as JSON for programs: tests read it to see numbers change and to find controls.
#pragma once
#include "app/ui/ui.h"
#include "app/view/app.h"

#include <cstdint>
#include <string>

namespace gravlab {

/// Writes to the file that the environment variable GRAVLAB_STATUS_FILE names; without it, does nothing.
class StatusReport {
public:
    StatusReport();
    bool on() const { return !path_.empty(); }
    /// Replaces the file in one step. `rests`: no further frame is drawn until an event comes. Throws IoError.
    void write(const App& app, const Ui& ui, std::int64_t frame, int width, int height, bool rests) const;

private:
    std::string path_;
};

}  // namespace gravlab
