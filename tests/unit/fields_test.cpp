// Outer forces as text, in runs, files and slices, and what is refused.
#include "app/bench/term_bench.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/forces/fields/field_text.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "tests/advance.h"
#include "tests/bodies.h"
#include "tests/outer_forces.h"
#include "tests/paths.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gravlab {
namespace {

using namespace testing_support;
using testing::HasSubstr;

constexpr const char* kAllOuter =
    "nfw,mass=0.5,scale=0.4,vx=0.1;bar,mass=0.3,length=1,width=0.2,height=0.3,pattern=0.5;uniform,az=0.01;"
    "logarithmic,speed=0.3,core=0.5,orbit=0.2,period=7,phase=30,tilt=20;hernquist,mass=0.4,scale=0.3,x=0.1,body=7;"
    "point,mass=0.1,softening=0.2,orbit=0.1,period=3,body=7;drag,rate=0.01;drag,rate=0.02,body=5;"
    "quadratic-drag,coefficient=0.1,x=1;"
    "friction,speed=1,core=0.1;post-newtonian,heavy=3,c=30";

TEST(FieldText, saysTheSameForcesWithUnitsAndWithout) {
    const RunUnits galactic = runUnits(kGalacticUnits);
    const std::vector<OuterField> fields = parsedFields(
        "nfw, mass = 1e12Msun, scale=16 kpc; logarithmic,speed=220km/s,core=500pc;"
        "bar,mass=1e10Msun,length=4kpc,width=1kpc,height=0.5kpc,pattern=40km/s/kpc,angle=30deg;"
        "uniform,ax=1e-13km/s/s;post-newtonian",
        galactic);
    ASSERT_EQ(fields.size(), 5u);
    EXPECT_NEAR(fields[0].numbers[0], 100, 1e-9);
    EXPECT_NEAR(fields[0].numbers[1], 16, 1e-12);
    EXPECT_EQ(fields[0].numbers[2], 10) << "the usual concentration";
    EXPECT_NEAR(fields[1].numbers[0], 220 / 207.386, 1e-5);
    EXPECT_NEAR(fields[2].numbers[4], 40 / 207.386, 1e-5);
    EXPECT_EQ(fields[2].numbers[5], 30);
    EXPECT_NEAR(fields[4].numbers[1], 299792.458 / 207.386, 0.02);
    const std::string plain = fieldsText(fields);
    EXPECT_EQ(parsedFields(plain), fields) << plain;
    EXPECT_EQ(parsedFields(kAllOuter), parsedFields(fieldsText(parsedFields(kAllOuter))));
    EXPECT_TRUE(parsedFields("none").empty());
    EXPECT_EQ(fieldsText({}), "none");
    // Terms keep the forces through files.
    const ParticleSet bodies = testing_support::unevenBodies(20);
    const ForceTerms terms = fieldTerms(parsedFields(kAllOuter), bodies);
    ASSERT_EQ(terms.size(), 3u);
    std::vector<StateArray> arrays = arraysOf(terms);
    EXPECT_TRUE(sameTerms(takeTerms(arrays, "file"), terms));
    EXPECT_EQ(fieldsText(fieldsOf(terms)), fieldsText(parsedFields(kAllOuter)));
    arrays = arraysOf(terms);
    for (StateArray& array : arrays)
        if (array.name.ends_with(".laws")) array.values[0] = 99;
    EXPECT_THROW(takeTerms(arrays, "file"), InputError);
}

TEST(FieldText, refusesWhatIsNoFieldWithThePlaceAndTheReason) {
    const std::pair<const char*, const char*> wrong[] = {
        {"nfv,mass=1,scale=1", "unknown field 'nfv'; did you mean 'nfw'?"},
        {"", "unknown field ''"},
        {"point,mass=1;", "unknown field ''"},
        {"nfw,mass=1,scale=0", "field nfw: scale must be above 0"},
        {"nfw,mass=1,scale=-2", "field nfw: scale must be above 0"},
        {"nfw,mass=1", "field nfw: scale is missing"},
        {"nfw,mass=nan,scale=1", "field nfw: mass = 'nan': expected a finite number in [M]"},
        {"nfw,mass=inf,scale=1", "expected a finite number"},
        {"nfw,mass=1e999,scale=1", "expected a finite number"},
        {"nfw,mass=1,scale=1kpc", "this run has no units (G = 1), so 'kpc' means nothing there"},
        {"nfw,mass=1,scale=1parsnip", "'parsnip' is no unit that is known here"},
        {"nfw,mass=1,scale=1Msun", "'Msun' does not fit: the number is in [L]"},
        {"nfw,mass=1,skale=1", "unknown number of the field nfw 'skale'; did you mean 'scale'?"},
        {"nfw,mass=1,scale=1,mass=2", "mass is there twice"},
        {"nfw,mass", "'mass' is not NAME=NUMBER"},
        {"point,mass=0", "field point: mass must not be 0"},
        {"uniform", "ax, ay or az must not be 0"},
        {"bar,mass=1,length=1,width=-1,height=1", "width must be at least 0"},
        {"point,mass=1,orbit=1", "an orbit needs a period other than 0"},
        {"point,mass=1,period=1", "a period needs an orbit"},
        {"point,mass=1,body=1.5", "body must be the id of a body, a whole number"},
        {"point,mass=1,body=-2", "body must be the id of a body"},
        {"post-newtonian", "this run has no units, so the speed of light is not known"},
        {"post-newtonian,c=10,heavy=1025", "heavy must be a whole number from 1 to 1024"},
        {"post-newtonian,c=10,heavy=1.5", "heavy must be a whole number"},
        {"post-newtonian,c=10,x=1", "unknown number of the field post-newtonian 'x'"},
        {"drag,rate=-1", "field drag: rate must be above 0"},
    };
    for (const auto& [text, why] : wrong) {
        try {
            parsedFields(text);
            ADD_FAILURE() << text << " was accepted";
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr(why)) << text;
        }
    }
    std::string many = "uniform,ax=1";
    for (int k = 0; k < 16; ++k) many += ";uniform,ax=1";
    const ParticleSet two = testing_support::unevenBodies(2);
    EXPECT_THROW(fieldTerms(parsedFields(many), two), UsageError);
    EXPECT_THROW(fieldTerms(parsedFields("post-newtonian,c=9,heavy=3"), two), UsageError);
    EXPECT_THROW(fieldTerms(parsedFields("point,mass=1,body=777"), two), UsageError) << "no such body";
    // Scene files name the line, options the option.
    try {
        strictSettings("scene = \"plummer\"\n\nfields = \"nfw,mass=1,scale=0\"\n", "halo.toml");
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("halo.toml, line 3: field nfw: scale must be above 0"));
    }
    EXPECT_EQ(strictSettings("fields = \"nfw,mass=1,scale=2\"\n", "halo.toml").fields, "nfw,mass=1,scale=2");
    RunRequest request{.scene = "charges", .fields = "post-newtonian,c=10"};
    EXPECT_THROW(Simulation{request}, UsageError) << "charges have no mass";
    request.scene = "plummer";
    request.integrator = "leapfrog";
    request.fields = "drag,rate=0.1";
    try {
        Simulation simulation(request);
        ADD_FAILURE();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'drag' depends on velocities"));
        EXPECT_THAT(error.what(), HasSubstr("symplectic-euler, rk4, radau15 and euler"));
    }
}

TEST(FieldText, anOpenIntegratorGivesWayToOneThatTakesVelocities) {
    RunRequest request{.scene = "plummer", .bodies = 10, .fields = "drag,rate=0.1"};
    EXPECT_EQ(resolve(request, nullptr).integrator->name, "rk4");
    request.fields = "uniform,ax=1";
    EXPECT_EQ(resolve(request, nullptr).integrator->name, "leapfrog");
}

constexpr const char* kMoving =
    "nfw,mass=0.5,scale=0.4,vx=0.1;bar,mass=0.3,length=1,width=0.2,height=0.3,pattern=5;point,mass=0.1,softening=0.1,"
    "orbit=0.5,period=0.7";
std::pair<RunRequest, std::string> sameOuter(const char* backend, const char* integrator, const char* fields,
                                             std::size_t bodies) {
    return {outerRequest(backend, Precision::fp64, integrator, fields, bodies), "nfw,mass=0.5,scale=0.4,vx=0.1;"};
}
const OuterOf kReferenceOuter{
    .backend = "reference",
    .exact = {{outerRequest("reference", Precision::fp64, "rk4", kAllOuter, 300), 1e-6}},
    .targets = {0, 17, 150, 299},
    .same = {sameOuter("reference", "leapfrog", kMoving, 50), sameOuter("reference", "radau15", kAllOuter, 8)}};
const OuterOf kCpuOuter{.backend = "cpu",
                        .exact = {{outerRequest("cpu", Precision::fp64, "rk4", kAllOuter, 300), 1e-6},
                                  {outerRequest("cpu", Precision::mixed, "rk4", kAllOuter, 300), 1e-6},
                                  {outerRequest("cpu", Precision::fp32, "rk4", kAllOuter, 300), 1e-5}},
                        .targets = {0, 17, 150, 299},
                        .same = {sameOuter("cpu", "leapfrog", kMoving, 300), sameOuter("cpu", "yoshida4", kMoving, 100),
                                 sameOuter("cpu", "rk4", kAllOuter, 300), sameOuter("cpu", "block-leapfrog", kMoving, 300),
                                 sameOuter("cpu", "rk4", kAllOuter, 50)}};
INSTANTIATE_TEST_SUITE_P(Host, OuterSuite, testing::Values(kReferenceOuter, kCpuOuter), nameOfBackend<OuterOf>);

TEST(OuterForcesRun, areChangedLiveAndReturnToTheScenesOwn) {
    RunRequest request{.scene = "satellite-decay"};
    Simulation simulation(request);
    const auto inForce = [&] { return fieldsText(simulation.configuration().fields.value()); };
    const std::string own = inForce();
    EXPECT_THAT(own, HasSubstr("logarithmic,speed=1.0608"));
    EXPECT_THAT(own, HasSubstr("friction,speed=1.0608"));
    ASSERT_EQ(simulation.configuration().others().size(), 2u);
    EXPECT_FALSE(keepsEnergy(simulation.configuration()));
    run(simulation, 5);
    const RunState before = simulation.state();
    RunRequest wanted = simulation.request();
    wanted.fields = "logarithmic,speed=220km/s,core=2kpc";
    simulation.apply(wanted);
    EXPECT_EQ(simulation.state().clock.step, 5);
    EXPECT_EQ(simulation.state().bodies.position, before.bodies.position) << "the run goes on where it was";
    EXPECT_THAT(inForce(), HasSubstr("core=2"));
    EXPECT_TRUE(keepsEnergy(simulation.configuration()));
    run(simulation, 1);
    wanted.fields = "none";
    simulation.apply(wanted);
    EXPECT_EQ(inForce(), "none");
    EXPECT_TRUE(simulation.configuration().others().empty());
    wanted.fields.reset();
    simulation.apply(wanted);
    EXPECT_EQ(inForce(), own);
    wanted.fields = "nfw,mass=1,scale=0";
    EXPECT_THROW(simulation.apply(wanted), UsageError);
    EXPECT_EQ(inForce(), own) << "a refusal changes nothing";
    wanted.fields = own;
    wanted.changeScene("plummer");
    EXPECT_FALSE(wanted.fields.has_value()) << "another scene brings its own";
}

TEST(OuterForcesRun, commandLineTakesSeveralFieldsWithUnits) {
    const Outcome good = runGravlab({"run", "stream", "-n", "100", "--backend", "cpu", "--steps", "2", "--field",
                                     "nfw,mass=1e12Msun,scale=16kpc", "--field", "point,mass=1e10Msun"});
    EXPECT_EQ(good.code, 0) << good.err;
    const Outcome wrong =
        runGravlab({"run", "stream", "-n", "100", "--steps", "2", "--field", "nfw,mass=1e12kpc,scale=16kpc"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("field nfw: mass = '1e12kpc': 'kpc' does not fit: the number is in [M]"));
    const std::string list = runGravlab({"list", "fields"}).out;
    for (const FieldLaw& law : fieldLaws()) EXPECT_THAT(list, HasSubstr(std::string(law.name)));
}

/// The clock decides how many steps a drag is timed, and its rate needs forces that pass their check after any number.
TEST(OuterForcesRun, timedDragLeavesItsBodiesApart) {
    RunRequest wanted{.scene = "plummer"};
    TermStudy study = termStudy(wanted, "drag", 300);
    const std::unique_ptr<Backend> made = backend("cpu").make({});
    const Integrator& steps = loadTerm(*made, study, {.kernel = "each-body"}, usualIntegrator());
    const auto size = [&] {
        double squares = 0;
        for (const Double4& x : stateOf(*made).position) squares += dot(xyz(x), xyz(x));
        return std::sqrt(squares / 300);
    };
    const double before = size();
    advanceBy(*made, steps.program, study.timeStep, 1600);
    EXPECT_NEAR(size() / before, 1, 0.05);
    wanted.timeStep = 0.01;
    EXPECT_EQ(termStudy(wanted, "drag", 300).timeStep, 0.01) << "what a user chooses stays";
}

}  // namespace
}  // namespace gravlab
