#include "app/session/recorder.h"

#include "app/files/scene_file.h"
#include "app/film/encoders.h"
#include "app/frontends/headless/headless.h"
#include "app/frontends/headless/picture_copy.h"
#include "app/model/film_plan.h"
#include "app/system/host_clock.h"
#include "app/system/picture.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

namespace gravlab {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

}  // namespace

Recorder::Recorder() = default;

Recorder::~Recorder() {
    if (!thread_) return;
    thread_->end();
    thread_->wait();
}

/// Begins the wanted film once its encoder has been tried.
EffectResult Recorder::begin(App& app) {
    const std::string& named = app.document.ui.film.encoder;
    const EncoderRow* row = named.empty() ? workingEncoder() : &encoder(named);
    EffectResult done{CommandStatus::running};
    if (row && triedEncoder(*row)) {
        done = start(app, *row);
        if (done.status != CommandStatus::running) forget(app.reports.film);
        wanted_.reset();
    }
    return done;
}

EffectResult Recorder::start(App& app, const EncoderRow& row) {
    const FilmState& state = app.document.ui.film;
    const int wide = state.width > 0 ? state.width : wanted_->width & ~1,
              high = state.height > 0 ? state.height : wanted_->height & ~1;
    std::string without;
    try {
        if (const Reason why = unavailable(row); !why.empty()) throw IoError(why);
        if (state.encoder.empty() && row.codec.empty()) without = unavailable(encoders().front());
        FilmSettings settings;
        file_ = filmName(app.document.facts.configuration.scene, row);
        settings.output = parseFilmOutput(file_);
        settings.width = wide;
        settings.height = high;
        settings.fps = fps_ = std::min(state.fps, row.mostFps);
        settings.encoder = row.name;
        if (!row.lossless) settings.quality = state.quality;
        settings.keepsPart = true;
        target_ = std::make_unique<OffscreenTarget>(wide, high);
        std::unique_ptr<FilmWriter> writer = makeFilmWriter(settings);
        writer->texts = settingsTexts(app.document, file_);
        picture_ = std::make_unique<PictureCopy>(wanted_->renderer);
        thread_ = std::make_unique<FilmThread>(std::move(writer));
    } catch (const std::bad_alloc&) {
        target_.reset();
        app.reports.news.warn("No film: there is not enough memory for its frames; choose a smaller size.");
        return failedBecause(app.document.message);
    } catch (const std::runtime_error& error) {
        target_.reset();
        app.reports.news.warn(std::string("No film: ") + error.what() + ".");
        return failedBecause(app.document.message);
    }
    if (!without.empty())
        app.reports.news.say("The film becomes numbered pictures in " + file_ + ", because " + without + ".");
    ending_ = false;
    waitedAtEnd_ = 0;
    frames_ = pacedFrames_ = 0;
    const FilmPlan plan = filmPlan(app.document, fps_);
    stepsPerFrame_ = plan.stepsPerFrame;
    framesWanted_ = stopping_ ? 1 : plan.frames;  // a film has at least one picture
    step_ = nextStep_ = app.document.facts.step;
    worked_ = 0;
    lookedAt_ = hostClock();
    app.reports.film.file = file_;
    showProgress(app.reports.film);
    return {CommandStatus::running, {}, {}};
}

void Recorder::report(std::optional<Ticket>& ticket, EffectResult outcome) {
    if (ticket) ended_.push_back({*std::exchange(ticket, std::nullopt), std::move(outcome)});
}

EffectResult Recorder::carryOut(const Record& effect, Ticket ticket, App& app, const Screen& screen) {
    FilmProgress& state = app.reports.film;
    if (effect.what == Record::What::start) {
        if (thread_ || wanted_) return refusedBecause("A film is being recorded.");
        if (screen.width <= 0 || screen.height <= 0)
            return refusedBecause("The window is hidden; a film needs its picture.");
        wanted_ = screen;
        state.active = true;
        EffectResult done = begin(app);
        if (done.status == CommandStatus::running) starting_ = ticket;
        return done;
    }
    if (!thread_ && !wanted_) return refusedBecause("No film is being recorded.");
    if (effect.what == Record::What::stop) {
        if (stopping_) return refusedBecause("The film ends already, with its first frame.");
        stopping_ = ticket;
        if (frames_ == 0 || wanted_)
            framesWanted_ = 1;
        else
            stop();
        if (thread_) showProgress(state);
        return {CommandStatus::running, {}, {}};
    }
    // The written frames are discarded: pictures and film are removed with their writer.
    report(starting_, failedBecause("the film was cancelled"));
    report(stopping_, failedBecause("the film was cancelled"));
    if (std::exchange(wanted_, std::nullopt)) {
        forget(state);
        return {CommandStatus::applied, "The film was cancelled before its first frame."};
    }
    thread_->discard();
    bin_.ask(std::move(thread_));
    cancelling_.push_back(ticket);
    forget(state);
    app.reports.news.say("The film was cancelled; " + file_ + " was not kept.");
    return {CommandStatus::running, {}, {}};
}

void Recorder::stop() {
    if (!thread_ || ending_) return;
    collect(true);
    thread_->end();
    ending_ = true;
    waitedAtEnd_ = thread_->waiting();
}

double Recorder::progress(Ticket ticket) const {
    if (stopping_ != ticket || !thread_ || waitedAtEnd_ == 0) return -1;
    return ending_ ? 1 - static_cast<double>(thread_->waiting()) / static_cast<double>(waitedAtEnd_) : 0;
}

/// Hands drawn frames over; the newest stays under way unless `all`.
void Recorder::collect(bool all) {
    while (target_ && target_->readsUnderWay() > (all ? 0u : 1u)) {
        const std::span<const std::uint8_t> rgb = target_->endRead();
        thread_->push({rgb.begin(), rgb.end()});
    }
}

/// The recording is over.
void Recorder::forget(FilmProgress& state) {
    thread_.reset();
    target_.reset();
    picture_.reset();
    ending_ = false;
    state.active = state.ending = state.waiting = false;
}

/// Result of the film, once the thread is done.
std::string Recorder::ending() const {
    if (const std::string error = thread_->error(); !error.empty())
        return "The film ended early: " + error + ". The run continues.";
    const std::string text =
        formatted(": %lld frames, %.2f s.", static_cast<long long>(frames_), static_cast<double>(frames_) / fps_);
    return "The film is in " + file_ + text;
}

void Recorder::showProgress(FilmProgress& state) const {
    state.active = true;
    state.ending = ending_;
    state.waiting = !ending_ && !thread_->hasRoom();
    state.frames = frames_;
    state.framesWanted = framesWanted_;
    state.fpsInUse = fps_;
    state.secondsLeft = -1;
    if (framesWanted_ > 0 && frames_ > 0)
        state.secondsLeft = worked_ / static_cast<double>(frames_) * static_cast<double>(framesWanted_ - frames_);
    state.workPerSecond = frames_ > 0 ? worked_ * fps_ / static_cast<double>(frames_) : -1;
    state.stepsInUse = stepsPerFrame_;
}

void Recorder::prepare(App& app) {
    FilmProgress& state = app.reports.film;
    app.runs.mostSteps = kNoLimit;
    while (bin_.poll()) {
        ended_.push_back({cancelling_.front(), {}});
        cancelling_.pop_front();
    }
    if (thread_ && thread_->done()) {
        const std::string text = ending();
        const bool good = thread_->error().empty();
        report(starting_, failedBecause(text));
        report(stopping_, good ? EffectResult{CommandStatus::applied, text, {}} : failedBecause(text));
        if (good)
            app.reports.news.say(text);
        else
            app.reports.news.warn(text);
        forget(state);
    }
    if (wanted_)
        if (const EffectResult done = begin(app); done.status != CommandStatus::running) {
            report(starting_, done);
            report(stopping_, done);
        }
    if (!thread_) return;
    const double now = hostClock(), passed = now - std::exchange(lookedAt_, now);
    if (!app.document.intent.paused && !ending_) worked_ += passed;
    showProgress(state);
    if (ending_) return;
    const std::int64_t step = app.document.facts.step;
    // After a jump to another state the film continues from there.
    if (step < step_ || step > nextStep_) nextStep_ = step + (frames_ > 0 ? stepsPerFrame_ : 0);
    step_ = step;
    app.runs.mostSteps = state.waiting ? 0 : nextStep_ - step;
}

double Recorder::pace(double seconds) {
    if (!thread_ || ending_) return seconds;
    const std::int64_t passed = frames_ - std::exchange(pacedFrames_, frames_);
    return static_cast<double>(passed) / fps_;
}

void Recorder::update(App& app) {
    if (!thread_ || ending_) return;
    const std::int64_t step = app.document.facts.step;
    if (step < step_) return;  // the run started again within this frame
    step_ = step;
    // A twin that is behind is not shown yet.
    if (step != nextStep_ || !app.runs.twin().even() || !thread_->hasRoom()) return;
    try {
        picture_->draw(app, *target_, app.document.ui.film.panels, 1 / fps_);
        collect(false);
    } catch (const std::bad_alloc&) {
        dropPicture();
        app.reports.news.warn("The film ends with the frames it has: there is not enough memory for the next one.");
        return;
    } catch (const GlError& error) {
        dropPicture();
        app.reports.news.warn(std::string("The film ends with the frames it has: ") + error.what() + ".");
        return;
    }
    target_->beginRead();
    nextStep_ = step + stepsPerFrame_;
    ++frames_;
    report(starting_, {});
    if (frames_ == framesWanted_) stop();
    showProgress(app.reports.film);
}

bool Recorder::needsFrame() const {
    return wanted_ || (thread_ && (ending_ || frames_ == 0 || thread_->done())) || !cancelling_.empty() || !ended_.empty();
}

std::string Recorder::close() {
    if (!thread_) return {};
    stop();
    thread_->wait();
    const std::string text = ending();
    thread_.reset();
    target_.reset();
    picture_.reset();
    return text;
}

void Recorder::dropPicture() {
    if (!thread_) return;
    if (target_) frames_ -= static_cast<std::int64_t>(target_->readsUnderWay());
    thread_->end();
    ending_ = true;
    target_.reset();
    picture_.reset();
}

}  // namespace gravlab
