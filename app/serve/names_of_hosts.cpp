#include "app/serve/wire.h"

#include <algorithm>

namespace gravlab {
namespace {

/// "127.0.0.1:7777" -> "127.0.0.1", "[::1]:7777" -> "[::1]".
std::string_view withoutPort(std::string_view name) {
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos || name.ends_with(']') ? name : name.substr(0, colon);
}

}  // namespace

std::string refusedByNames(const WireSettings& settings, std::string_view host, std::string_view origin) {
    const std::string_view name = withoutPort(host);
    const bool known = name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == settings.listen ||
                       std::ranges::count(settings.hosts, name) > 0;
    if (!known) return "the name of this address is unknown here; --host-name NAME makes it known";
    if (origin.empty()) return {};  // no browser
    const std::size_t scheme = origin.find("://");
    if (scheme != std::string_view::npos && origin.substr(scheme + 3) == host) return {};
    return std::ranges::count(settings.origins, origin) > 0 ? std::string()
                                                            : "a page of another address asks; --origin ORIGIN lets it";
}

}  // namespace gravlab
