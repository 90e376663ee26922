// Finds a body by its name or number.
#pragma once
#include "app/model/document.h"

#include <cstdint>
#include <string>

namespace gravlab {

/// The body with that name or number; part of a name suffices when it is unique. Throws UsageError listing the candidates.
std::uint32_t bodyCalled(const Document& document, const std::string& text);

}  // namespace gravlab
