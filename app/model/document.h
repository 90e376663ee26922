// All that commands change and that parameters are read from.
#pragma once
namespace gravlab {

class Session;
struct UiState;

/// One open document: the runs with their picture, and what the panels show. Both outlive it.
struct Document {
    Session& session;
    UiState& ui;
};

}  // namespace gravlab
