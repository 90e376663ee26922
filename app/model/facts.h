// What is known of the runs and of the selected body, as of the last frame. Rule: plain data.
#pragma once
#include "sim/run/configuration.h"

#include <glm/ext/vector_double3.hpp>
#include <glm/vec3.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// A body near the selected one.
struct BodyNeighbour {
    std::size_t index = 0;
    std::uint32_t id = 0;
    double distance = 0;  ///< [L]
};

/// A body that feels no force, and so is where this says.
struct HeldBody {
    std::uint32_t id = 0;
    glm::dvec3 place{0}, velocity{0};
    double time = 0;  ///< when it was there
    glm::dvec3 at(double when) const { return place + (when - time) * velocity; }
};

/// What is known of the selected body.
struct BodyReadout {
    std::uint32_t id = 0;
    int galaxy = 0;
    bool dark = false;
    double source = 0;                        ///< what it acts with: mass, charge, ...: LawRow::source
    std::optional<double> mass{};             ///< [M]; where it is not the source, empty with very many bodies
    glm::vec3 position{0};                    ///< [L], of the newest step that has been drawn
    bool placed = false;                      ///< position is known
    std::optional<double> speed{}, energy{};  ///< [L/T], and of a unit mass [L^2/T^2]; empty with very many bodies
    bool bound = false;                       ///< cannot go to infinity with that energy
    bool held = false, coasting = false;      ///< feels no force; and moves
    std::vector<BodyNeighbour> nearest{};     ///< nearest first; known a frame or two after the selection
};

/// What is known of the run at the end of a frame.
struct Facts {
    std::uint64_t run = 0, revision = 0;  ///< as Simulation has them
    RunConfiguration configuration;
    const Scene* scene = nullptr;
    const Integrator* integrator = nullptr;
    const KernelRow* kernel = nullptr;
    LaunchFacts launch;           ///< of the forces; kept new while the lab is open
    std::string device;           ///< what the backend runs on
    std::string backendWhy;       ///< which backend runs and why
    std::string vertexPath;       ///< how vertices reach the picture and why
    std::string drawPath;         ///< how bodies become a picture and why
    std::size_t bodiesLimit = 0;  ///< about as many as this machine's memory holds
    double time = 0;              ///< simulated [T]
    std::int64_t step = 0;
    double stepProgress = 0;          ///< 0..1 of the forces of the step under way
    double innerStep = 0;             ///< length of the newest automatic step; 0 with fixed steps [T]
    std::optional<ForceCheck> check;  ///< of the configuration in use; empty until it is there
};

}  // namespace gravlab
