// The curves of twin runs as plots: in the strip under the picture and as PNG. Data in, plots out.
#pragma once
#include "app/plots/plot.h"
#include "app/runs/divergence.h"
#include "sim/io/file/byte_sink.h"
#include "sim/scenes/scene.h"

#include <string>
#include <utility>

namespace gravlab {

/// Root mean square and largest distance over time, logarithmic.
Plot separationPlot(const Divergence& divergence);
/// |dE/E0| of both over time, logarithmic; labels are those of the runs. No series when energies are not summed.
Plot twinEnergyPlot(const Divergence& divergence, const std::pair<std::string, std::string>& labels);

/// "apart: rms 3.2e-04, most 5.1e-03; grows e-fold in 2.4". Times and lengths have units when the scene has.
std::string divergenceText(const Divergence& divergence, const SceneUnits& units);

/// Both plots on a white page. Throws IoError.
void writeDivergence(ByteSink& file, const std::string& title, const std::pair<std::string, std::string>& labels,
                     const Divergence& divergence, const SceneUnits& units);

}  // namespace gravlab
