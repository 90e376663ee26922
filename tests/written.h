// Lets tests set up a document directly. The program changes settings by commands alone.
#pragma once
#include "app/view/app.h"

namespace gravlab::test {

inline Document& written(const App& app) { return const_cast<Document&>(app.document); }

}  // namespace gravlab::test
