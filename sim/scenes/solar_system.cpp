// Sun and planets. Units: astronomical units, solar masses, years / (2 pi), so that G = 1.
#include "sim/scenes/few_body_orbits.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace gravlab::scenes {
namespace {

// Barycentric state of the planetary system from NASA's Horizons service, as in REBOUND's examples; Earth includes the Moon.
constexpr Body kHorizons[] = {
    {{-0.008816286905115728, -0.0010954664916791675, 0.0002143249385447027},
     {0.00014315746073017681, -0.0004912441820893999, 8.127678560998346e-07},
     0.9999999999950272},
    {{-0.05942272929227954, -0.46308699693348293, -0.032897989948949075},
     {1.2978664284760637, -0.09524541469911743, -0.12677574364801253},
     1.6601208254808336e-07},
    {{-0.7276101005375593, 0.006575003332463933, 0.041795901908847084},
     {-0.019239782390457125, -1.1813975672919448, -0.01509392594251431},
     2.447838287784771e-06},
    {{-0.5789530452882667, -0.8361530119313055, 0.0002611520181901174},
     {0.8098712561282222, -0.5682496529341624, 2.6169897281383047e-05},
     3.0404326489511185e-06},
    {{-1.45202492400084, 0.827519404194876, 0.052981833432457694},
     {-0.37436417754222295, -0.6365841544564991, -0.004143932260467942},
     3.2271560828978514e-07},
    {{4.492983939852296, 2.0661626247490354, -0.10909246996001629},
     {-0.18818907783656452, 0.41919544951404614, 0.0024710497024424977},
     0.0009547919099366768},
    {{8.4974210980544, -4.8620394993693585, -0.2537835862373596},
     {0.14292308496870448, 0.2808676923735748, -0.010574288572728728},
     0.0002858856700231729},
    {{12.959111916929283, 14.760785302864473, -0.1130656917933948},
     {-0.1734971049470612, 0.14019515029516152, 0.0027683484887051457},
     4.366249613200406e-05},
    {{29.787987348666505, -2.51460654509393, -0.6347108842010732},
     {0.014142947617173336, 0.18292110872737416, -0.004092845767710294},
     5.151383772628957e-05},
};

/// A planet at epoch J2000: its mean elements, and the Sun's mass in units of the planet's (Earth with Moon).
struct Planet {
    double inverseMass;
    OrbitalElements elements;
};

// Keplerian elements for approximate positions of the major planets, valid 1800-2050; Standish, JPL, table 1.
constexpr Planet kPlanets[] = {
    {6023600, {0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593}},
    {408523.71, {0.72333566, 0.00677672, 3.39467605, 181.97909950, 131.60246718, 76.67984255}},
    {328900.56, {1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0}},
    {3098708, {1.52371034, 0.09339410, 1.84969142, -4.55343205, -23.94362959, 49.55953891}},
    {1047.3486, {5.20288700, 0.04838624, 1.30439695, 34.39644051, 14.72847983, 100.47390909}},
    {3497.898, {9.53667594, 0.05386179, 2.48599187, 49.95424423, 92.59887831, 113.66242448}},
    {22902.98, {19.18916464, 0.04725744, 0.77263783, 313.23810451, 170.95427630, 74.01692503}},
    {19412.24, {30.06992276, 0.00859048, 1.77004347, -55.12002969, 44.96476227, 131.78422574}},
};

ParticleSet buildFromElements(const SceneRequest&) {
    std::vector<Body> list{{{0, 0, 0}, {}, 1}};
    for (const Planet& planet : kPlanets) {
        const double mass = 1 / planet.inverseMass;
        Body body = orbitState(planet.elements, 1 + mass);
        body.mass = mass;
        list.push_back(body);
    }
    return centred(listedBodies(list));
}

/// Solves E - e sin E = M by Newton's method, from a start that converges for every e < 1. A dozen iterations suffice.
double eccentricAnomaly(double meanAnomaly, double eccentricity) {
    double anomaly = eccentricity < 0.8 ? meanAnomaly : std::copysign(std::numbers::pi, meanAnomaly);
    for (int round = 0; round < 30; ++round) {
        const double change =
            (anomaly - eccentricity * std::sin(anomaly) - meanAnomaly) / (1 - eccentricity * std::cos(anomaly));
        anomaly -= change;
        if (std::fabs(change) < 1e-16) break;
    }
    return anomaly;
}

// A quarter of a day: leapfrog then keeps the Earth within 4e-5 AU in a year.
constexpr double kPlanetsTimeStep = 2 * std::numbers::pi / 1460;

constexpr Celestial kCelestials[] = {Celestial::star,   Celestial::barren,  Celestial::cloudy,
                                     Celestial::ocean,  Celestial::desert,  Celestial::gasGiant,
                                     Celestial::ringed, Celestial::paleIce, Celestial::blueIce};

constexpr SceneView kPlanetsView{.distance = 70,
                                 .azimuth = -0.5 * std::numbers::pi,
                                 .elevation = 0.7,
                                 .pointSize = 0.35,
                                 .colour = "celestial",
                                 .celestials = kCelestials};

constexpr std::string_view kNames[] = {"Sun", "Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"};

}  // namespace

Body orbitState(const OrbitalElements& elements, double totalMass) {
    const double degree = std::numbers::pi / 180;
    const double a = elements.semiMajorAxis, e = elements.eccentricity;
    const double mean = std::remainder(elements.meanLongitude - elements.longitudeOfPericentre, 360.0) * degree;
    const double anomaly = eccentricAnomaly(mean, e);
    // In the plane of the orbit, with the pericentre on the first axis.
    const double root = std::sqrt(1 - e * e), cosE = std::cos(anomaly), sinE = std::sin(anomaly);
    const double speed = std::sqrt(totalMass / a) / (1 - e * cosE);
    const double px = a * (cosE - e), py = a * root * sinE;
    const double vx = -speed * sinE, vy = speed * root * cosE;
    // Rotate by the argument of pericentre, the inclination and the node.
    const double argument = (elements.longitudeOfPericentre - elements.ascendingNode) * degree;
    const double cw = std::cos(argument), sw = std::sin(argument);
    const double ci = std::cos(elements.inclination * degree), si = std::sin(elements.inclination * degree);
    const double cn = std::cos(elements.ascendingNode * degree), sn = std::sin(elements.ascendingNode * degree);
    const double xx = cw * cn - sw * sn * ci, xy = -sw * cn - cw * sn * ci;
    const double yx = cw * sn + sw * cn * ci, yy = -sw * sn + cw * cn * ci;
    const double zx = sw * si, zy = cw * si;
    return {{xx * px + xy * py, yx * px + yy * py, zx * px + zy * py},
            {xx * vx + xy * vy, yx * vx + yy * vy, zx * vx + zy * vy}};
}

std::span<const Scene> solarSystemScenes() {
    static const Scene rows[] = {
        {.name = "solar-system",
         .idea = "Sun and eight planets, from measured positions and velocities",
         .caption = "AU, solar masses, years / (2 pi). Newton's point masses only: Earth's year is right to 1e-4, but this "
                    "is not an ephemeris.",
         .source = "NASA JPL Horizons, as in Rein & Tamayo 2015",
         .fixedBodies = 9,
         .timeStep = kPlanetsTimeStep,
         .story = {1035, 50},
         .view = kPlanetsView,
         .build = [](const SceneRequest&) { return centred(listedBodies(kHorizons)); },
         .units = kSolarUnits,
         .names = kNames},
        {.name = "solar-system-j2000",
         .idea = "Sun and eight planets on 1 January 2000, from their orbital elements",
         .caption = "AU, solar masses, years / (2 pi). Mean elements: Earth is placed to 20 arc seconds, Saturn to 600.",
         .source = "Standish, Keplerian elements for approximate positions, JPL",
         .fixedBodies = 9,
         .timeStep = kPlanetsTimeStep,
         .story = {74.5, 25},
         .view = kPlanetsView,
         .build = buildFromElements,
         .units = kSolarUnits,
         .names = kNames},
    };
    return rows;
}

}  // namespace gravlab::scenes
