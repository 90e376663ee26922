#include "app/serve/serve.h"

#include "app/bench/own_trial.h"
#include "app/control/json_value.h"
#include "app/files/open_file.h"
#include "app/files/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/lost_context.h"
#include "app/lessons/lesson_file.h"
#include "app/parameters/parameter.h"
#include "app/serve/encode_thread.h"
#include "app/serve/rpc.h"
#include "app/session/session.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "render/picture_planes.h"
#include "sim/api/errors.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

namespace gravlab {

std::string_view pageFile(std::string_view name);

namespace {

namespace fs = std::filesystem;

constexpr double kAutosaveSeconds = 60;  // [s], as of a window
constexpr double kStillAfter = 0.3;      // [s] without a new picture
constexpr double kSoonest = 8e-3;        // [s] after a picture until an input begins another
constexpr double kResizePause = 0.2;     // [s] between changes of the size
constexpr double kItemsPause = 0.1;      // [s] between lists of the controls

/// OpenGL without a window, and the picture that browsers get.
struct ServerPicture {
    ServerPicture(int device, int width, int height) : device_(device) {
        context.emplace(device);
        resize(width, height);
    }
    void resize(int width, int height) {
        constexpr int kLongest = 4096;  // side that encoders take
        width = std::clamp(PicturePlanes::fittingWidth(width), 160, kLongest);
        height = std::clamp(PicturePlanes::fittingHeight(height), 120, kLongest);
        if (target && target->width() == width && target->height() == height) return;
        drop();
        target.emplace(GL_RGBA8, width, height);
        planes.emplace(width, height);
    }
    void drop() {
        planes.reset();
        target.reset();
        heads.clear();
    }
    /// After a reset of the graphics.
    void remake() {
        const int width = target->width(), height = target->height();
        drop();
        context.reset();
        context.emplace(device_);
        resize(width, height);
    }
    std::optional<HeadlessContext> context;
    std::optional<RenderTarget> target;
    std::optional<PicturePlanes> planes;
    std::deque<PictureHead> heads;  ///< of the pictures under way

private:
    int device_;
};

/// The names of files that an effect reads or writes; empty: it uses none.
std::vector<std::string> filesOf(const Effect& effect) {
    return std::visit(
        Overloaded{
            [](const SavePicture& e) { return std::vector{e.file}; }, [](const SaveRun& e) { return std::vector{e.file}; },
            [](const SaveScene& e) { return std::vector{e.file}; }, [](const Open& e) { return std::vector{e.file}; },
            [](const ListFolder& e) { return std::vector{e.folder}; },
            [](const OpenKernel& e) { return std::vector{e.file}; }, [](const SaveKernel& e) { return std::vector{e.file}; },
            [](const Record&) { return std::vector<std::string>{""}; },
            [](const Measure& e) { return std::vector<std::string>(e.lasts() || e.what == Measure::What::cancel ? 0 : 1); },
            [](const auto&) { return std::vector<std::string>(); }},
        effect);
}

/// Why somebody in a browser may not do this here; empty: it is allowed. Files stay in `folder`, which is the current one.
Reason refusedInBrowsers(const Effect& effect, const ServeOptions& options, const fs::path& folder, bool hostDrives) {
    const bool kernel = std::holds_alternative<TryKernel>(effect) || std::holds_alternative<OpenKernel>(effect) ||
                        std::holds_alternative<SaveKernel>(effect);
    if (kernel && !options.allowKernels)
        return "Kernels of one's own run as programs on the server; start 'gravlab serve' with --allow-kernels.";
    const std::vector<std::string> names = filesOf(effect);
    if (!hostDrives && (kernel || !names.empty() || std::holds_alternative<Quit>(effect) ||
                        std::holds_alternative<Recover>(effect) || std::holds_alternative<ForgetSession>(effect)))
        return "Only the host, who has the address 'drive:', ends the program and uses files.";
    if (!names.empty() && options.files.empty())
        return "This run has no folder for browsers; start 'gravlab serve' with --files FOLDER.";
    for (const std::string& name : names) {
        std::error_code error;
        const fs::path place = fs::weakly_canonical(folder / name, error);
        if (error || std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first != folder.end())
            return "Files of browsers stay in the folder of --files.";
    }
    return {};
}

const char* cursorOf(PointerShape shape) {
    constexpr const char* kNames[] = {"default", "text", "ns-resize", "ew-resize", "nesw-resize", "nwse-resize", "pointer"};
    return kNames[static_cast<std::size_t>(shape)];
}

class ServeLoop {
public:
    ServeLoop(const ServeOptions& options, Session& session, Hub& hub, ServerPicture& canvas)
        : options_(options),
          session_(session),
          hub_(hub),
          canvas_(canvas),
          rpc_(session, hub),
          input_(
              session.app->document, session.app->reports.panels,
              [this](Command command, Sender sender) { session_.controller.post(std::move(command), sender); },
              [this] {
                  PanelFocus focus = session_.ui->focus();
                  focus.changing = session_.controller.posted();
                  return focus;
              },
              [this](const InputEvent& event) { session_.ui->take(event); }) {
        session.ui->recordItems(true);
        session.app->reports.panels.inWindow = true;
        session.ui->setClipboard({.read = [this] { return pasted_; },
                                  .write =
                                      [this](const std::string& text) {
                                          hub_.say(jsonLine({{"t", "copied"}, {"text", text}}), true);
                                      }});
    }
    ~ServeLoop() { session_.ui->setClipboard({}); }
    ServeLoop(const ServeLoop&) = delete;
    ServeLoop& operator=(const ServeLoop&) = delete;

    void run() {
        while (InterruptWatch::signal() == 0 && !session_.ends()) {
            if (const std::string lost = lostContext(); !lost.empty()) remakePicture(lost);
            turn();
        }
    }

private:
    void remakePicture(const std::string& why) {
        session_.dropPicture();
        try {
            canvas_.remake();
            session_.screen.renderer = canvas_.context->description();
            session_.remakePicture(why);
        } catch (const DeviceError&) {
            throw;  // the simulation's state is lost, too
        } catch (const std::runtime_error& error) {
            throw NoDeviceError(std::string(error.what()) + ". " + session_.files->leave());
        }
    }
    void takeInput(const Hub::Arrived& arrived);
    void turn();
    void collect();
    void sendControls();

    const ServeOptions& options_;
    Session& session_;
    Hub& hub_;
    ServerPicture& canvas_;
    Rpc rpc_;
    Input input_;
    std::string pasted_;
    float scale_ = 1;
    std::pair<bool, float> letters_{false, 1};
    std::optional<SizeWish> wish_;
    std::uint32_t frame_ = 0, echo_ = 0;
    double last_ = hostClock(), drawnAt_ = -1, resizedAt_ = -1, itemsAt_ = -1, dueAt_ = 0;
    bool stillGiven_ = true, built_ = false;
};

void ServeLoop::takeInput(const Hub::Arrived& arrived) {
    if (std::exchange(built_, false)) input_.resume();
    if (arrived.pasted) pasted_ = *arrived.pasted;
    for (const InputEvent& event : arrived.events) input_.take(event);
    if (!input_.pending()) echo_ = arrived.echo;  // those that wait for a frame are not in the picture
    for (const Hub::Call& call : arrived.calls) rpc_.take(call);
    if (arrived.size) wish_ = arrived.size;
    const double now = hostClock();
    if (!wish_ || now - resizedAt_ < kResizePause) return;
    // The picture has the shape of the driver's page, and no more pixels than --size.
    const double most = static_cast<double>(options_.width) * options_.height,
                 wanted = std::max(1.0, static_cast<double>(wish_->width) * wish_->height),
                 share = std::min(1.0, std::sqrt(most / wanted));
    if (const float scale = std::max(1.0f, wish_->scale * static_cast<float>(share)); std::exchange(scale_, scale) != scale)
        letters_.second = -1;
    canvas_.resize(static_cast<int>(wish_->width * share), static_cast<int>(wish_->height * share));
    wish_.reset();
    resizedAt_ = now;
}

/// Gives what has arrived from the GPU to the encoder.
void ServeLoop::collect() {
    while (canvas_.planes->underWay()) {
        std::optional<std::vector<std::uint8_t>> planes = canvas_.planes->take();
        if (!planes) return;
        hub_.give(std::make_shared<RawPicture>(RawPicture{canvas_.heads.front(), std::move(*planes), {}}));
        canvas_.heads.pop_front();
    }
}

void ServeLoop::sendControls() {
    hub_.say(jsonLine({{"t", "cursor"}, {"shape", cursorOf(session_.ui->pointerShape())}}), false, "cursor");
    const double now = hostClock();
    if (now - itemsAt_ < kItemsPause) return;
    itemsAt_ = now;
    std::map<std::string, std::string> items;
    const UiItem* panel = nullptr;
    for (const UiItem& item : session_.ui->items()) {
        if (item.name.starts_with("panel/")) panel = &item;
        // What is scrolled out of its panel cannot be clicked; lists and menus reach beyond theirs.
        const float middle = (item.top + item.bottom) / 2;
        const bool beyond = item.role == "option" || item.role == "menuitem";
        if (&item == panel || (panel && !beyond && (middle < panel->top || middle > panel->bottom))) continue;
        items[item.name] =
            jsonLine({item.name, std::lround(item.left), std::lround(item.top), std::lround(item.right),
                      std::lround(item.bottom), item.enabled, item.role, item.label, item.value, item.reason});
    }
    hub_.show(std::move(items));
}

void ServeLoop::turn() {
    App& app = *session_.app;
    Ui& ui = *session_.ui;
    const bool watched = hub_.watched();
    const bool busy = input_.holdsKeys() || input_.pending() || rpc_.busy() || wish_ || session_.needsTurn();
    const double begun = hostClock();
    double due = busy ? std::max(dueAt_ - begun, 0.0) : session_.patience();
    if (!busy && !stillGiven_ && watched) due = std::clamp(drawnAt_ + kStillAfter - begun, 0.0, due);
    constexpr double kPoll = 5e-4, kLongestCopy = 1;  // [s] between looks at copies under way, and until one is given up
    bool events = false;
    const double until = begun + due;
    do {
        collect();
        const double rest = until - hostClock();
        const bool copies = canvas_.planes->underWay();
        if (events || rest < 0)
            std::this_thread::sleep_for(std::chrono::duration<double>(copies ? kPoll : 0));
        else
            events = hub_.await(copies ? std::min(rest, kPoll) : rest,
                                std::max(last_ + kSoonest, dueAt_ - 1 / options_.fps) - hostClock());
        // A picture that finds no place would only delay those under way.
    } while (((!events && hostClock() < until) || (canvas_.planes->full() && hostClock() < until + kLongestCopy)) &&
             InterruptWatch::signal() == 0);
    const Hub::Arrived arrived = hub_.take();
    const int width = canvas_.target->width();
    takeInput(arrived);
    const bool resized = width != canvas_.target->width();
    session_.screen = {canvas_.target->framebuffer(), canvas_.target->width(), canvas_.target->height(),
                       canvas_.context->description()};
    input_.setSurface({session_.screen.width, session_.screen.height});
    const double now = hostClock();
    if (!stillGiven_ && watched && now - drawnAt_ > kStillAfter && !canvas_.planes->underWay()) {
        stillGiven_ = true;
        auto still = std::make_shared<RawPicture>();
        still->head = {.frame = frame_,
                       .echo = echo_,
                       .width = static_cast<std::uint16_t>(canvas_.target->width()),
                       .height = static_cast<std::uint16_t>(canvas_.target->height()),
                       .step = static_cast<std::uint64_t>(app.document.facts.step)};
        still->rgba.resize(std::size_t{4} * static_cast<std::size_t>(canvas_.target->width()) *
                           static_cast<std::size_t>(canvas_.target->height()));
        glGetTextureImage(canvas_.target->texture(), 0, GL_RGBA, GL_UNSIGNED_BYTE, static_cast<GLsizei>(still->rgba.size()),
                          still->rgba.data());
        hub_.giveStill(std::move(still));
        itemsAt_ = -1;  // the controls of the last picture
        sendControls();
    }
    const bool first = frame_ == 0;  // it is there before anybody watches, because the first takes longest
    if (!session_.look(busy, events || resized || first)) return;
    const std::pair<bool, float> wanted{ui.state.projector, ui.state.textScale};
    if (std::exchange(letters_, wanted) != wanted) {
        constexpr float kProjector = 1.5f;
        ui.setScale(scale_ * ui.state.textScale * (ui.state.projector ? kProjector : 1));
    }
    const double passed = now - std::exchange(last_, now);
    input_.holdKeys(passed);
    const auto drawPanels = [&] {
        ui.setSurface(session_.screen.width, session_.screen.height, std::max(passed, 1e-3));
        ui.frame(app, [&](std::vector<Command> batch) { session_.controller.post(std::move(batch), Sender::panel); });
        ui.draw();
        built_ = true;
    };
    const bool picture = (watched || first) && !canvas_.planes->full();
    const Frame::Made made =
        session_.turn(FrameClock::window(passed),
                      {.framebuffer = session_.screen.framebuffer,
                       .width = picture ? session_.screen.width : 0,
                       .height = picture ? session_.screen.height : 0,
                       .mustDraw = [&] { return events || resized || first || session_.needsPicture() || input_.pending(); },
                       .panels = drawPanels,
                       .ahead = true,
                       .present =
                           [&] {
                               canvas_.heads.push_back({.frame = ++frame_,
                                                        .echo = echo_,
                                                        .captured = static_cast<std::uint64_t>(hostClock() * 1e6),
                                                        .width = static_cast<std::uint16_t>(session_.screen.width),
                                                        .height = static_cast<std::uint16_t>(session_.screen.height),
                                                        .step = static_cast<std::uint64_t>(app.document.facts.step)});
                               canvas_.planes->begin(canvas_.target->texture());
                           }});
    rpc_.look();
    if (!made.drawn || !picture) {
        // As in a window: a run by steps makes them at the rate of pictures, also where nobody watches. Otherwise the loop
        // rests where a processor has no step to do, or where the queue of a device lasts longer than the rest.
        constexpr double kRest = 2e-3;  // [s]
        if (made.drawn && app.document.intent.speed == 0)
            dueAt_ = std::max(dueAt_, now) + 1 / options_.fps;
        else if (!app.wantsMore() || app.runs.simulation().backend().vertexSpace() != MemorySpace::host)
            dueAt_ = now + kRest;
        return;
    }
    drawnAt_ = hostClock();
    // A picture that an input has begun early takes the place of the next one, so there are never more than --fps.
    dueAt_ = std::max(std::max(dueAt_, now) + 1 / options_.fps, drawnAt_ + app.idleSeconds(made.seconds));
    stillGiven_ = false;
    sendControls();
}

/// The addresses for a terminal, and how to reach them from elsewhere.
void printAddresses(const ServeOptions& options, const HubSettings& hub, std::uint16_t port) {
    char machine[256] = "SERVER";
    gethostname(machine, sizeof machine - 1);
    const bool here = options.wire.listen == "127.0.0.1" || options.wire.listen == "::1";
    const std::string name = here                         ? "127.0.0.1"
                             : options.wire.hosts.empty() ? options.wire.listen
                                                          : options.wire.hosts.front();
    const std::string page = "http://" + name + ":" + std::to_string(port) + "/";
    std::printf("drive: %s#d=%s\nwatch: %s#v=%s\n", page.c_str(), hub.driveToken.c_str(), page.c_str(),
                hub.watchToken.c_str());
    if (here)
        std::printf("from another machine: ssh -L %d:127.0.0.1:%d %s, then open the same address there\n", port, port,
                    machine);
    else
        std::printf("Everybody who can reach %s may try these addresses. Without https or ssh browsers get JPEG.\n",
                    options.wire.listen.c_str());
    std::fflush(stdout);
}

}  // namespace

int runServe(const StartOptions& given, ServeOptions options) {
    if (const std::string why = jpegMissing(); !why.empty()) throw UsageError(why);
    const InterruptWatch watch;
    StartOptions start = withFile(given);
    adoptKernelFile(start.simulation);
    const auto lesson = options.lesson.empty() ? nullptr : lessonNamed(options.lesson);
    fs::path folder;
    if (!options.files.empty()) {
        std::error_code error;
        folder = fs::canonical(options.files, error);
        if (!error) fs::current_path(folder, error);
        if (error)
            throw UsageError("--files '" + options.files + "' is no folder that can be used (" + error.message() + ")");
    }
    HubSettings rules{newSecret(), newSecret(), options.classroom};
    Hub hub(rules, hostClock);
    // Before any work: a port that is taken is known at once.
    const std::unique_ptr<Wire> wire = openWire(options.wire, pageFile("index.html"), hub);
    hub.attach(wire.get());
    ServerPicture canvas(start.simulation.backendOptions.device, options.width, options.height);
    Session session;
    start.watched = true;
    start.sceneTrails = true;
    start.settings.try_emplace("overlay.shown", std::string("scale,clock,labels"));
    start.settings.try_emplace("window.timeline", start.rewindMegabytes > 0);
    session.screen.renderer = canvas.context->description();
    session.refuses = [&](const Effect& effect) { return refusedInBrowsers(effect, options, folder, hub.hostDrives()); };
    session.openOnScreen(start, 1, options.autosaveSeconds >= 0 ? options.autosaveSeconds : kAutosaveSeconds);
    if (lesson) session.teach(lesson);
    // Whatever ends the loop, the clients get the reason, and the encoder ends before the hub.
    const auto end = [&](const std::string& why) {
        hub.end(why);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    };
    std::thread bench;
    {
        const EncodeThread encoder(hub, options.fps, options.megabits * 1e6);
        try {
            ServeLoop loop(options, session, hub, canvas);
            if (options.benchSeconds > 0)
                bench = std::thread([&] {
                    benchClients(wire->port(), rules.driveToken, rules.watchToken, options.viewers, options.benchSeconds);
                });
            else
                printAddresses(options, rules, wire->port());
            loop.run();
            end("the program has ended");
        } catch (const Error& error) {
            end(std::string("the program has ended: ") + error.what());
            if (bench.joinable()) bench.join();
            if (error.code() != ExitCode::deviceFailure) throw;
            const std::string kept = session.files->rescue();
            throw DeviceError(error.what() + (kept.empty() ? std::string() : ". " + kept));
        }
    }
    if (bench.joinable()) {
        bench.join();
        std::printf("run: step %s, %s interactions/s\n", valueText(parameter("run.step").get(session.app->document)).c_str(),
                    valueText(parameter("run.rate").get(session.app->document)).c_str());
        return 0;
    }
    return session.close();
}

}  // namespace gravlab
