// The outer forces of the run: a list to add one, and the numbers of each.
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "sim/forces/fields/field_text.h"

#include <imgui.h>

#include <string>
#include <vector>

namespace gravlab {
namespace {

void post(PanelContext& p, const std::vector<OuterField>& fields) { set(p, "run.fields", fieldsText(fields)); }

/// A field of the law with 1 for each number that must be given.
OuterField newField(std::size_t law) {
    OuterField field{.law = static_cast<unsigned>(law)};
    for (std::size_t k = 0; k < field.row().numbers.size(); ++k) {
        const double usual = field.row().numbers[k].usual;
        field.numbers[k] = usual == usual ? usual : 1;
    }
    if (field.row().name == "uniform") field.numbers[2] = -1;
    return field;
}

void drawNumberOfField(PanelContext& p, std::vector<OuterField>& fields, std::size_t index, const FieldNumber& number,
                       double& value) {
    const std::string name = "run.fields/" + std::to_string(index) + "/" + std::string(number.name);
    const std::string label(number.name), unit = unitInWords(number).empty() ? "" : ", in " + unitInWords(number),
                                          idea = std::string(number.idea) + unit;
    const Control control{name.c_str(), label.c_str(), Tip::ofRow(idea)};
    const bool positive = number.range == FieldRange::positive;
    const DragRange range{.least = positive                                  ? 1e-12
                                   : number.range == FieldRange::notNegative ? 0
                                                                             : -1e30,
                          .most = 1e30,
                          .floor = positive ? 1e-6 : 1e-3,
                          .onRelease = true};
    const Dragging done = p.widgets.drag(control, value, range);
    if (done == Dragging::words) {
        std::string all;
        for (std::size_t k = 0; k < fields.size(); ++k)
            all += (k > 0 ? ";" : "") + fieldText(fields[k]) + (k == index ? std::string(",") + p.widgets.typed() : "");
        return set(p, "run.fields", all);
    }
    if (done != Dragging::none) post(p, fields);
}

void drawField(PanelContext& p, std::vector<OuterField> fields, std::size_t index) {
    OuterField& field = fields[index];
    const FieldLaw& law = field.row();
    const std::string name = "run.fields/" + std::to_string(index), nameOfName = name + "/name", remove = name + "/remove",
                      idea = std::string(law.idea) + ". It keeps " + std::string(keptUnder(law)) + ".";
    p.widgets.text({nameOfName.c_str(), "", Tip::ofRow(idea)}, palette::kText, std::string(law.name));
    const float width = 64 * p.widgets.scale();
    ImGui::SameLine(ImGui::GetContentRegionMax().x - width);
    if (p.widgets.button({remove.c_str(), "Remove", "Take this force away"}, width)) {
        fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(index));
        return post(p, fields);
    }
    for (std::size_t k = 0; k < law.numbers.size(); ++k)
        drawNumberOfField(p, fields, index, law.numbers[k], field.numbers[k]);
    for (std::size_t k = 0; k < kFieldPlaces; ++k)
        if (field.place[k] != fieldPlace()[k].usual) drawNumberOfField(p, fields, index, fieldPlace()[k], field.place[k]);
}

}  // namespace

void drawFields(PanelContext& p) {
    const std::vector<OuterField> fields = p.facts.configuration.fields.value_or(std::vector<OuterField>());
    const std::string shown = fields.empty() ? std::string(kNoFields) : "add to " + std::to_string(fields.size());
    if (p.widgets.beginCombo(controlOf(parameter("run.fields")), shown)) {
        for (std::size_t law = 0; law < fieldLaws().size(); ++law) {
            const FieldLaw& row = fieldLaws()[law];
            if (!p.widgets.choice(row.name, row.idea, false)) continue;
            const std::string before = fields.empty() ? std::string() : fieldsText(fields) + ";";
            // The speed of light follows from the units of the run.
            const bool light = row.kind == FieldKind::postNewtonian;
            set(p, "run.fields", before + (light ? std::string(row.name) : fieldText(newField(law))));
        }
        p.widgets.endCombo();
    }
    for (std::size_t k = 0; k < fields.size(); ++k) drawField(p, fields, k);
}

}  // namespace gravlab
