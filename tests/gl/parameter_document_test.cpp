// The table of parameters on a document: a value that is set can be read again, and facts can be read.
#include "app/parameters/parameter.h"
#include "app/view/app.h"
#include "gl_fixture.h"
#include "sim/api/errors.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gravlab {
namespace {

using test::written;

using testing::HasSubstr;

StartOptions smallScene(const char* scene) {
    StartOptions options{.simulation = {.scene = scene, .backend = "cpu"}};
    if (!sceneNamed(scene).fixedBodies) options.simulation.bodies = 64;
    return options;
}

class ParameterDocument : public test::GlTest {};

Value valueNow(const Document& document, std::string_view path) { return parameter(path).get(document); }

TEST_F(ParameterDocument, everyRowTakesWhatItGives) {
    for (const char* scene : {"collision", "lennard-jones", "figure-eight"}) {
        App app(smallScene(scene));
        Document& document = written(app);
        for (const Parameter& row : parameters()) {
            const Value before = row.get(document);
            if (row.fact() || isNothing(before)) continue;
            if (row.unavailable && !row.unavailable(document).empty()) continue;
            ASSERT_NO_THROW(setParameter(document, row.path, before)) << row.path << " " << valueText(before);
            ASSERT_TRUE(app.apply()) << row.path << ": " << app.document.message;
            EXPECT_EQ(valueText(row.get(document)), valueText(before)) << row.path << " in " << scene;
        }
    }
}

TEST_F(ParameterDocument, anotherValueIsTheOneThatIsRead) {
    App app(smallScene("collision"));
    Document& document = written(app);
    const std::pair<const char*, const char*> rows[] = {
        {"run.time_step", "-0.0125"},   {"run.softening", "0.25"}, {"run.integrator", "yoshida4"},
        {"run.bodies", "128"},          {"run.seed", "12345"},     {"look.glow", "0.75"},
        {"look.colour_mode", "mass"},   {"look.trails", "100000"}, {"camera.distance", "12.5"},
        {"camera.target", "[1, 2, 3]"}, {"overlay.clock", "true"}, {"view.four", "true"},
        {"window.text_scale", "4.0"},   {"film.quality", "55.0"},  {"view.selected", "3"},
        {"view.follow", "body"},        {"lab.page", "matrix"},    {"drop.mass", "2.5"},
        {"view.ahead_time", "1.5"},     {"run.precision", "fp32"}};
    for (const auto& [path, text] : rows) {
        ASSERT_NE(valueText(valueNow(document, path)), text) << path << " is so already; the test says nothing";
        setParameter(document, path, valueOf(text));
        ASSERT_TRUE(app.apply()) << path << ": " << app.document.message;
        EXPECT_EQ(valueText(valueNow(document, path)), text) << path;
    }
    setParameter(document, "twin.time_step", 0.5);
    EXPECT_EQ(valueNow(document, "twin.time_step"), Value(0.5));
    setParameter(document, "twin.time_step", std::string("same"));
    EXPECT_EQ(valueNow(document, "twin.time_step"), Value(std::string("same")));
}

TEST_F(ParameterDocument, refusesWhatCannotBe) {
    App app(smallScene("figure-eight"));
    Document& document = written(app);
    const auto refusal = [&](const char* path, const Value& value) -> std::string {
        try {
            setParameter(document, path, value);
            return app.apply() ? std::string() : app.document.message;
        } catch (const UsageError& error) {
            return error.what();
        }
    };
    EXPECT_THAT(refusal("run.bodies", std::int64_t{64}), HasSubstr("always has 3 bodies"));
    EXPECT_THAT(refusal("run.step", std::int64_t{5}), HasSubstr("is measured, not set"));
    EXPECT_THAT(refusal("run.exponent", 1.5), HasSubstr("belongs to the power law"));
    EXPECT_THAT(refusal("scene.toomre-q", 1.5), HasSubstr("no number of that name"));
    EXPECT_THAT(refusal("view.selected", std::int64_t{77}), HasSubstr("77"));
    EXPECT_THAT(refusal("view.follow", std::string("body")), HasSubstr("no body is selected"));
    EXPECT_THAT(refusal("look.glow", 1.5), HasSubstr("at least 0 and at most 1"));
    EXPECT_EQ(refusal("look.glow", 0.5), "");
}

TEST_F(ParameterDocument, factsFollowTheRun) {
    App app(smallScene("figure-eight"));
    Document& document = written(app);
    EXPECT_EQ(valueNow(document, "run.step"), Value(std::int64_t{0}));
    app.advance(false);
    EXPECT_EQ(valueNow(document, "run.step"), Value(std::int64_t{1}));
    EXPECT_EQ(valueNow(document, "run.kernel"), Value(std::string(app.document.facts.kernel->name)));
}

}  // namespace
}  // namespace gravlab
