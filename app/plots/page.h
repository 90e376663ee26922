// Pages with plots that clients/python/gravlab/figures.py draws with matplotlib, from CSV.
#pragma once
#include "app/plots/plot.h"
#include "app/system/picture.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct Page {
    std::string name;  ///< what figures.py draws: a row of its table
    std::string title;
    std::string csv;
    std::vector<std::string> notes{};  ///< below the plots
    PictureTexts texts{};              ///< in the head of the file
    int width = 1920, height = 1080;
    /// Curves of papers for each plot; for bars "PAPER KERNEL" with a factor.
    std::vector<std::vector<PlotSeries>> papers{};
    std::vector<std::vector<std::string>> grid{};  ///< a table above the plots, with its head
};

/// Pages as files. `why`: why there are none, and what to do.
struct DrawnPages {
    std::vector<std::string> files;
    std::string why;
};
/// Draws all pages or none. `format`: "png", "svg" or "pdf". The variable GRAVLAB_PYTHON names another Python than python3.
DrawnPages drawnPages(const std::vector<Page>& pages, std::string_view format);

/// "png", "svg" or "pdf", by the ending of a file's name; empty for every other one.
std::string_view pictureFormat(std::string_view file);
/// Draws a page into a file. Where that cannot be and `keep`, writes its CSV beside it. Throws IoError, which names both.
void writePage(const std::string& file, const Page& page, bool keep);

}  // namespace gravlab
