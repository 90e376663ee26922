// Values as JSON. Only files that write JSON include it, because the library's header is large.
#pragma once
#include "sim/core/value.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace gravlab {

/// Values without a number in JSON (nothing, infinity) become null.
inline nlohmann::ordered_json jsonValue(const Value& value) {
    return std::visit(
        [](const auto& held) -> nlohmann::ordered_json {
            using Held = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_same_v<Held, std::monostate>)
                return nullptr;
            else if constexpr (std::is_same_v<Held, double>)
                return std::isfinite(held) ? nlohmann::ordered_json(held) : nlohmann::ordered_json();
            else
                return held;
        },
        value);
}

/// One line of ASCII; bytes that are not UTF-8 are replaced.
inline std::string jsonLine(const nlohmann::ordered_json& json) {
    return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace gravlab
