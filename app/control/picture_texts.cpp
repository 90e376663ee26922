#include "app/control/scene_file.h"

#include "app/model/document.h"
#include "app/system/built_in.h"
#include "app/tables/format.h"

namespace gravlab {

PictureTexts settingsTexts(const Document& document, const std::string& path) {
    const RunConfiguration& run = document.facts.configuration;
    PictureTexts texts{{"Software", "gravlab " + std::string(version())},
                       {"gravlab:scene", run.scene},
                       {"gravlab:bodies", std::to_string(run.bodies)},
                       {"gravlab:seed", std::to_string(run.seed)},
                       {"gravlab:backend", run.backend},
                       {"gravlab:kernel", run.kernel.kernel},
                       {"gravlab:integrator", run.integrator},
                       {"gravlab:dt", formatted("%.17g", run.timeStep)},
                       {"gravlab:softening", formatted("%.17g", run.force.softening)}};
    addSceneFile(texts, document, path);
    return texts;
}

PictureTexts pictureTexts(const Document& document, const std::string& path) {
    PictureTexts texts = settingsTexts(document, path);
    texts["gravlab:step"] = std::to_string(document.facts.step);
    texts["gravlab:time"] = std::to_string(document.facts.time);
    return texts;
}

}  // namespace gravlab
