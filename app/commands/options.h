// The command line. parseOptions is the only code that knows CLI11.
#pragma once
#include "app/model/options.h"

namespace gravlab {

struct Document;
struct KernelRow;

/// Throws UsageError with the text to print. --help and --version print and set command = version.
Options parseOptions(int argc, const char* const* argv);
/// Throws UsageError for an option without effect on the command.
void refuseIdle(const Options&);
/// Checks options of the launch likewise, once the program has chosen the kernel.
void refuseIdleLaunch(const Options&, const KernelRow& runs);
/// Checks options of a picture's look likewise. `panels`: texts or panels are drawn over the picture.
void refuseIdleLook(const Options&, const Document&, bool panels);

int viewCommand(const Options&);  ///< also plays a script in a window
int playCommand(const Options&);
int renderCommand(const Options&);
int runCommand(const Options&);
int benchCommand(const Options&);
int figureCommand(const Options&);  ///< bench --figure
int framesCommand(const Options&);  ///< bench --frames
int cardCommand(const Options&);    ///< bench --card
int tuneCommand(const Options&);
int listCommand(const Options&);
int checkCommand(const Options&);
int convertCommand(const Options&);
int infoCommand(const Options&);
int fingerprintCommand(const Options&);
int matrixCommand(const Options&);
int memoryCommand(const Options&);
int lessonCommand(const Options&);
int occupancyCommand(const Options&);
int groupsCommand(const Options&);
int reportCommand(const Options&);
int gradeCommand(const Options&);

}  // namespace gravlab
