// A host as another frontend would be: no window and no screen, a sender of its own, pictures in memory, files in a folder.
// Rule: no file of the program knows it. All that it does goes through commands, and all that it learns through tickets.
#pragma once
#include "app/control/action.h"
#include "app/frontends/headless/headless.h"
#include "app/lessons/lesson_runner.h"
#include "app/view/base_host.h"
#include "app/view/frame.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::test {

class RemoteHost : public BaseHost {
public:
    static constexpr Sender kRemote{Sender::Kind::socket, 7};
    static constexpr int kWidth = 96, kHeight = 64;

    RemoteHost(App& app, std::filesystem::path folder)
        : BaseHost(app), folder_(std::move(folder)), lessons_(controller_), frames_(app, controller_, *this) {
        LessonRunner::offer(app.reports.lesson);
    }

    /// Its events are kept for answers(). From any thread; follow() is of the frame thread, which a test is.
    Ticket send(Command command) {
        const Ticket ticket = controller_.post(std::move(command), kRemote);
        controller_.follow(ticket);
        return ticket;
    }
    /// What has come of it since the last call.
    std::vector<Event> answers(Ticket ticket) { return controller_.take(ticket); }
    /// A key as a browser sends it; empty: no row has it.
    std::optional<Ticket> press(Key key, int modifiers) {
        std::optional<Ticket> ticket;
        pressKey(key, modifiers, [&](Command command, const Sender&) { ticket = send(std::move(command)); });
        return ticket;
    }

    /// One frame of a run that somebody watches.
    Frame::Made frame() {
        return frames_.make(
            FrameClock::window(1.0 / 60),
            {.framebuffer = target_.framebuffer(),
             .width = kWidth,
             .height = kHeight,
             .afterCommands = [this] { lessons_.update(app_.document, app_.reports.lesson, *this, ++seconds_); },
             .ahead = true,
             .present = [this] { show(); }});
    }

    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        return std::visit(
            Overloaded{
                [&](const SavePicture&) {
                    waiting_.push_back(ticket);
                    return EffectResult{CommandStatus::running, {}, {}};
                },
                [&](const SaveRun& e) { return BaseHost::carryOut(SaveRun{named(e.file, "run.csv")}, ticket); },
                [&](const SaveScene& e) { return BaseHost::carryOut(SaveScene{named(e.file, "scene.toml")}, ticket); },
                [&](const LessonGo& e) { return lessons_.carryOut(e, app_.document, app_.reports.lesson); },
                [&](const auto&) { return BaseHost::carryOut(effect, ticket); }},
            effect);
    }
    std::vector<Ended> ended() override {
        std::vector<Ended> all = BaseHost::ended();
        for (const Ticket ticket : std::exchange(taken_, {})) all.push_back({ticket, {}});
        return all;
    }

    /// The last picture that was sent for: packed RGB rows.
    const std::vector<std::uint8_t>& picture() const { return picture_; }

private:
    std::string named(const std::string& file, const char* usual) const {
        return (folder_ / (file.empty() ? usual : file)).string();
    }
    void show() {
        if (waiting_.empty()) return;
        picture_ = target_.read();
        taken_ = std::exchange(waiting_, {});
    }

    std::filesystem::path folder_;
    OffscreenTarget target_{kWidth, kHeight};
    Controller controller_;
    LessonRunner lessons_;
    Frame frames_;
    double seconds_ = 0;
    std::vector<Ticket> waiting_, taken_;
    std::vector<std::uint8_t> picture_;
};

}  // namespace gravlab::test
