// Pictures as SVG and PDF: files that other programs can read, with the same shapes and letters as the pixels.
#include "app/plots/ink.h"

#include "app/bench/figure.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/worksheet.h"
#include "app/plots/canvas.h"
#include "app/plots/diagram.h"
#include "sim/core/error.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A page with each shape once.
std::string inkShapes(PageFormat format) {
    Canvas canvas(200, 100, 16, format);
    PlotInk& ink = canvas.ink();
    ink.box(ImVec2(0, 0), canvas.size(), IM_COL32_WHITE);
    ink.clip(ImVec2(10, 10), ImVec2(90, 90));
    ink.line(ImVec2(20, 30), ImVec2(40, 50), IM_COL32(255, 0, 0, 255), 3);
    ink.unclip();
    ink.frame(ImVec2(1, 2), ImVec2(11, 22), IM_COL32(0, 0, 255, 128), 2);
    ink.disc(ImVec2(50, 60), 7, IM_COL32(0, 255, 0, 255));
    ink.ring(ImVec2(50, 60), 9, IM_COL32(0, 255, 0, 255), 2);
    canvas.text(canvas.normal(), ImVec2(5, 70), IM_COL32(0, 0, 0, 255), "a < b (\\) \xc2\xb5m \xe2\x82\xac");
    MemorySink file;
    canvas.write(file, {{"Title", "R&D"}});
    return file.take();
}

int occurrences(const std::string& text, const std::string& what) {
    int count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

TEST(Ink, anSvgHasShapesLettersAndFacts) {
    EXPECT_EQ(pageFormat("a/b.svg"), PageFormat::svg);
    EXPECT_EQ(pageFormat("b.pdf"), PageFormat::pdf);
    EXPECT_EQ(pageFormat("svg.png"), PageFormat::png);
    const std::string svg = inkShapes(PageFormat::svg);
    EXPECT_THAT(svg, AllOf(StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""), HasSubstr("viewBox=\"0 0 200 100\""),
                           HasSubstr("<desc>Title: R&amp;D\n</desc>"), HasSubstr("</svg>")));
    EXPECT_THAT(svg, HasSubstr("<line x1=\"20.00\" y1=\"30.00\" x2=\"40.00\" y2=\"50.00\" stroke=\"#ff0000\""));
    EXPECT_THAT(svg, HasSubstr("stroke=\"#0000ff\" stroke-opacity=\"0.502\""));
    EXPECT_THAT(svg, HasSubstr("<circle cx=\"50.00\" cy=\"60.00\" r=\"7.00\" fill=\"#00ff00\""));
    EXPECT_THAT(svg, HasSubstr(">a &lt; b (\\) \xc2\xb5m \xe2\x82\xac</text>"));
    EXPECT_EQ(occurrences(svg, "<g "), occurrences(svg, "</g>"));
}

TEST(Ink, aPdfHasATableOfItsObjects) {
    const std::string pdf = inkShapes(PageFormat::pdf);
    EXPECT_THAT(pdf, StartsWith("%PDF-1.4\n"));
    EXPECT_THAT(pdf, HasSubstr("/MediaBox [0 0 100 50]"));
    EXPECT_THAT(pdf, HasSubstr("20.00 70.00 m 40.00 50.00 l S")) << "its axis begins at the bottom";
    EXPECT_THAT(pdf, HasSubstr("(a < b \\(\\\\\\) \xb5m ?) Tj")) << "Latin-1";
    EXPECT_THAT(pdf, HasSubstr("/CA 0.502"));
    EXPECT_EQ(occurrences(pdf, "\nq "), occurrences(pdf, "\nQ\n"));
    const std::size_t table = std::strtoul(pdf.c_str() + pdf.rfind("startxref\n") + 10, nullptr, 10);
    ASSERT_EQ(pdf.compare(table, 7, "xref\n0 "), 0);
    std::size_t line = pdf.find("65535 f \n", table) + 9;
    const int objects = occurrences(pdf, " 0 obj\n");
    EXPECT_EQ(objects, 7);
    for (int k = 1; k <= objects; ++k, line += 20) {
        const std::string object = std::to_string(k) + " 0 obj\n";
        EXPECT_EQ(pdf.compare(std::strtoul(pdf.c_str() + line, nullptr, 10), object.size(), object), 0) << k;
    }
    const std::size_t stream = pdf.find("stream\n") + 7,
                      length = std::strtoul(pdf.c_str() + pdf.find("/Length ") + 8, nullptr, 10);
    EXPECT_EQ(pdf.compare(stream + length, 9, "endstream"), 0);
}

TEST(Ink, aFigureIsTheSameInEveryFormat) {
    FigureStudy study;
    study.plots.emplace_back().series.push_back(
        {.label = "a curve & more", .x = {1, 2, 3}, .y = {2, 3, 5}, .error = {}, .hollow = {true, false, false}});
    study.plots.back().x.label = "bodies";
    const FigureRow& row = figure("energy-dt");
    for (const PageFormat format : {PageFormat::svg, PageFormat::pdf, PageFormat::png}) {
        MemorySink file;
        const FigurePage page = figurePage(row, study, "a note", format);
        page.canvas->write(file, page.texts);
        const std::string text = file.take();
        if (format == PageFormat::png) {
            EXPECT_EQ(decodePng(text, "figure").texts.at("gravlab:figure"), "energy-dt");
            continue;
        }
        const bool svg = format == PageFormat::svg;
        EXPECT_THAT(text, AllOf(HasSubstr(svg ? "a curve &amp; more" : "a curve & more"), HasSubstr(std::string(row.title)),
                                HasSubstr("bodies"), HasSubstr("a note"), HasSubstr("gravlab:figure: energy-dt")));
        EXPECT_GE(occurrences(text, svg ? "<circle" : " c h f\n"), 4) << "three points, one of them unfilled";
    }
    // A curve of a paper has squares, so that no point looks like an extrapolated one of this machine.
    PlotSeries& paper = study.plots.back().series.front();
    paper.dashed = true;
    paper.hollow = {true, true, true};
    MemorySink file;
    const FigurePage page = figurePage(row, study, "", PageFormat::svg);
    page.canvas->write(file, page.texts);
    EXPECT_EQ(occurrences(file.take(), "<circle"), 0);
    EXPECT_THAT(runGravlab({"bench", "--figure", "bodies", "-o", "x.gif"}).err, HasSubstr("FILE.svg and FILE.pdf"));
}

TEST(Ink, aLegendHidesNoPoints) {
    const auto legendOver = [](double last) {
        Canvas canvas(600, 600, 16, PageFormat::svg);
        Plot plot;
        plot.x.label = "bodies";
        plot.y.low = -0.03, plot.y.high = 1.03;
        PlotSeries& series = seriesNamed(plot, "a curve");
        for (const double x : {0.0, 0.05, 0.1, 0.9, 0.95, 1.0})
            for (const double y : {0.0, 0.05, last}) series.x.push_back(x), series.y.push_back(y);
        drawPlot(canvas.ink(), ImVec2(0, 0), canvas.size(), plot, {.light = true});
        MemorySink file;
        canvas.write(file, {});
        const std::string svg = file.take();
        const auto heightOf = [&](const char* text) {
            const std::size_t at = svg.find(">" + std::string(text) + "</text>");
            return std::strtod(svg.c_str() + svg.rfind(" y=\"", at) + 4, nullptr);
        };
        return heightOf("bodies") - heightOf("a curve");
    };
    EXPECT_GT(legendOver(0.06), 0) << "the upper corners are free";
    EXPECT_LT(legendOver(1), 0) << "every corner has points, so it is below the axis";
}

TEST(Ink, drawingsOfLessonsStayInTheirArea) {
    EXPECT_THROW(diagram("no-such"), UsageError);
    int used = 0;
    for (const Diagram& drawing : diagrams()) {
        EXPECT_THAT(diagramSvg(drawing), AllOf(StartsWith("<svg"), HasSubstr(std::string(drawing.idea).substr(0, 20))));
        // Nothing is below the height that it names: a picture of that height and of twice that height have the same pixels.
        constexpr int kWidth = 420, kFont = 14;
        const int high = static_cast<int>(drawing.lines * kFont) + 2;
        Canvas canvas(kWidth + 2, 2 * high, kFont);
        EXPECT_FLOAT_EQ(drawDiagram(canvas.ink(), drawing, ImVec2(1, 1), kWidth, false),
                        drawing.lines * ImGui::GetFontSize());
        const std::vector<std::uint8_t> rgb = canvas.finish();
        const auto lit = [&](int from, int to) {
            return std::count_if(rgb.begin() + 3 * (kWidth + 2) * from, rgb.begin() + 3 * (kWidth + 2) * to,
                                 [](std::uint8_t c) { return c > 0; });
        };
        EXPECT_EQ(lit(high, 2 * high), 0) << drawing.name;
        EXPECT_GT(lit(high - 2 * kFont, high), 0) << drawing.name << " is lower than it says";
        for (const std::string& name : lessonNames())
            for (const LessonStep& step : lessonNamed(name)->steps)
                if (step.picture == drawing.name) {
                    EXPECT_THAT(worksheetHtml(*lessonNamed(name), nullptr), HasSubstr("<svg"));
                    ++used;
                }
    }
    EXPECT_GE(used, 3) << "each is in a lesson";
}

}  // namespace
}  // namespace gravlab
