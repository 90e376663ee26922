// A body by what people call it.
#pragma once
#include "app/model/document.h"

#include <cstdint>
#include <string>

namespace gravlab {

/// The body of that name, or number; a part of a name will do where only one body has it. Throws UsageError that says which
/// there are.
std::uint32_t bodyCalled(const Document& document, const std::string& text);
/// Its name, else its number: "Earth", "body 7".
std::string nameOfBody(const Facts& facts, std::uint32_t id);

}  // namespace gravlab
