// SVG (W3C SVG 1.1) and PDF (ISO 32000-1, version 1.4) as text, without compression: a figure has some 50 kB.
#include "app/plots/ink.h"

#include "app/tables/format.h"
#include "sim/core/names.h"

#include <array>
#include <cctype>
#include <cstdint>
#include <limits>
#include <map>

namespace gravlab {
namespace {

/// ImGui's size is the height of a line, files name the height of an em.
constexpr float kEmOfLine = 0.86f;

int channelOf(ImU32 colour, int shift) { return static_cast<int>(colour >> shift & 0xff); }
double opacityOf(ImU32 colour) { return channelOf(colour, IM_COL32_A_SHIFT) / 255.0; }

float widthOf(ImFont* font, float size, const char* text) {
    return font->CalcTextSizeA(size, std::numeric_limits<float>::max(), 0, text).x;
}
float baselineOf(const ImFont* font, float size) { return font->Ascent * size / font->FontSize; }

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else if (c == '"')
            safe += "&quot;";
        else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n')
            safe += c;
    }
    return safe;
}

class SvgInk final : public VectorInk {
public:
    SvgInk(ImVec2 size, const ImFont* mono) : size_(size), mono_(mono) {}

    void line(ImVec2 from, ImVec2 to, ImU32 colour, float width) override {
        put(formatted("<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", from.x, from.y, to.x, to.y) +
            stroke(colour, width));
    }
    void box(ImVec2 from, ImVec2 to, ImU32 colour, float rounding) override {
        put(rectangle(from, to) + (rounding > 0 ? formatted(" rx=\"%.2f\"", rounding) : std::string()) + fill(colour));
    }
    void frame(ImVec2 from, ImVec2 to, ImU32 colour, float width) override {
        put(rectangle(from, to) + " fill=\"none\"" + stroke(colour, width));
    }
    void disc(ImVec2 centre, float radius, ImU32 colour) override { put(circle(centre, radius) + fill(colour)); }
    void ring(ImVec2 centre, float radius, ImU32 colour, float width) override {
        put(circle(centre, radius) + " fill=\"none\"" + stroke(colour, width));
    }
    void text(ImFont* font, float size, ImVec2 at, ImU32 colour, const char* text) override {
        if (!*text) return;
        body_ +=
            formatted("<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\"",
                      at.x, at.y + baselineOf(font, size), kEmOfLine * size, widthOf(font, size, text)) +
            (font == mono_ ? " font-family=\"DejaVu Sans Mono, monospace\"" : "") + fill(colour) + ">" + escaped(text) +
            "</text>\n";
    }
    void clip(ImVec2 from, ImVec2 to) override {
        ++clips_;
        body_ += formatted("<clipPath id=\"c%d\">", clips_) + rectangle(from, to) +
                 formatted("/></clipPath>\n<g clip-path=\"url(#c%d)\">\n", clips_);
    }
    void unclip() override { body_ += "</g>\n"; }

    std::string file(const PictureTexts& texts) override {
        std::string head = formatted(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"DejaVu Sans, Verdana, sans-serif\" xml:space=\"preserve\">\n",
            size_.x, size_.y, size_.x, size_.y);
        std::string facts;
        for (const auto& [name, value] : texts) facts += name + ": " + value + "\n";
        return head + "<desc>" + escaped(facts) + "</desc>\n" + body_ + "</svg>\n";
    }

private:
    void put(const std::string& shape) { body_ += shape + "/>\n"; }
    static std::string rectangle(ImVec2 from, ImVec2 to) {
        return formatted("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", from.x, from.y, to.x - from.x,
                         to.y - from.y);
    }
    static std::string circle(ImVec2 centre, float radius) {
        return formatted("<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", centre.x, centre.y, radius);
    }
    static std::string paint(const char* which, ImU32 colour) {
        const std::string text = formatted(" %s=\"#%02x%02x%02x\"", which, channelOf(colour, IM_COL32_R_SHIFT),
                                           channelOf(colour, IM_COL32_G_SHIFT), channelOf(colour, IM_COL32_B_SHIFT));
        return opacityOf(colour) < 1 ? text + formatted(" %s-opacity=\"%.3f\"", which, opacityOf(colour)) : text;
    }
    static std::string fill(ImU32 colour) { return paint("fill", colour); }
    static std::string stroke(ImU32 colour, float width) {
        return paint("stroke", colour) + formatted(" stroke-width=\"%.2f\"", width);
    }

    ImVec2 size_;
    const ImFont* mono_;
    std::string body_;
    int clips_ = 0;
};

/// Widths of Helvetica's letters from space to tilde, in thousandths of an em (Adobe's font metrics).
constexpr std::array<std::uint16_t, 95> kHelvetica = {
    278, 278, 355, 556, 556, 889, 667, 191, 333,  333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667,  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
    556, 222, 222, 500, 222, 833, 556, 556, 556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

/// Latin-1, one byte a letter; a question mark for every other letter.
std::string latinOf(std::string_view text) {
    std::string latin;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c < 0x80) {
            latin += text[i];
            continue;
        }
        std::size_t more = 0;
        while (i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xc0) == 0x80) ++i, ++more;
        const bool known = (c == 0xc2 || c == 0xc3) && more == 1;
        const int letter = known ? (c & 3) << 6 | (static_cast<unsigned char>(text[i]) & 0x3f) : '?';
        latin += static_cast<char>(letter >= 0xa0 || letter == '?' ? letter : '?');
    }
    return latin;
}

/// A string of PDF.
std::string pdfString(std::string_view latin) {
    std::string text = "(";
    for (const char c : latin) {
        if (c == '(' || c == ')' || c == '\\') text += '\\';
        text += std::iscntrl(static_cast<unsigned char>(c)) && c >= 0 ? ' ' : c;
    }
    return text + ")";
}

class PdfInk final : public VectorInk {
public:
    PdfInk(ImVec2 size, const ImFont* mono) : size_(size), mono_(mono) {}

    void line(ImVec2 from, ImVec2 to, ImU32 colour, float width) override {
        stroke(colour, width);
        page_ += formatted("%.2f %.2f m %.2f %.2f l S\n", from.x, up(from.y), to.x, up(to.y));
    }
    void box(ImVec2 from, ImVec2 to, ImU32 colour, float) override {
        fill(colour);
        page_ += formatted("%.2f %.2f %.2f %.2f re f\n", from.x, up(to.y), to.x - from.x, to.y - from.y);
    }
    void frame(ImVec2 from, ImVec2 to, ImU32 colour, float width) override {
        stroke(colour, width);
        page_ += formatted("%.2f %.2f %.2f %.2f re S\n", from.x, up(to.y), to.x - from.x, to.y - from.y);
    }
    void disc(ImVec2 centre, float radius, ImU32 colour) override {
        fill(colour);
        circle(centre, radius);
        page_ += "f\n";
    }
    void ring(ImVec2 centre, float radius, ImU32 colour, float width) override {
        stroke(colour, width);
        circle(centre, radius);
        page_ += "S\n";
    }
    void text(ImFont* font, float size, ImVec2 at, ImU32 colour, const char* text) override {
        const std::string latin = latinOf(text);
        if (latin.empty()) return;
        const bool mono = font == mono_;
        const float em = kEmOfLine * size;
        float natural = 0;
        for (const char c : latin)
            natural += mono ? 600.f : c >= 32 && c < 127 ? kHelvetica[static_cast<std::size_t>(c - 32)] : 556.f;
        natural *= em / 1000;
        fill(colour);
        page_ += formatted("BT /F%d %.2f Tf %.2f Tz %.2f %.2f Td ", mono ? 2 : 1, em,
                           100 * widthOf(font, size, text) / natural, at.x, up(at.y + baselineOf(font, size)));
        page_ += pdfString(latin) + " Tj ET\n";
    }
    void clip(ImVec2 from, ImVec2 to) override {
        page_ += formatted("q %.2f %.2f %.2f %.2f re W n\n", from.x, up(to.y), to.x - from.x, to.y - from.y);
    }
    void unclip() override { page_ += "Q\n"; }

    std::string file(const PictureTexts& texts) override {
        constexpr float kPointsAPixel = 0.5f;
        std::string states;
        for (const auto& [alpha, number] : alphas_)
            states += formatted("/A%d << /ca %.3f /CA %.3f >> ", number, alpha / 255.0, alpha / 255.0);
        const std::string facts = joined(
            texts, [](const auto& text) { return text.first + ": " + text.second; }, "; ");
        const std::string content = formatted("%.2f 0 0 %.2f 0 0 cm\n", kPointsAPixel, kPointsAPixel) + page_;
        const std::string objects[] = {
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            formatted(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.0f %.0f] /Contents 4 0 R /Resources << /Font << /F1 5 0 R "
                "/F2 6 0 R >> /ExtGState << ",
                kPointsAPixel * size_.x, kPointsAPixel * size_.y) +
                states + ">> >> >>",
            "<< /Length " + std::to_string(content.size()) + " >>\nstream\n" + content + "endstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
            "<< /Producer (gravlab) /Subject " + pdfString(latinOf(facts)) + " >>"};
        std::string all = "%PDF-1.4\n";
        std::string places;
        int number = 0;
        for (const std::string& object : objects) {
            places += formatted("%010zu 00000 n \n", all.size());
            all += std::to_string(++number) + " 0 obj\n" + object + "\nendobj\n";
        }
        const std::size_t table = all.size();
        return all + formatted("xref\n0 %d\n0000000000 65535 f \n", number + 1) + places +
               formatted("trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%zu\n%%%%EOF\n", number + 1, table);
    }

private:
    /// The axis of PDF begins at the bottom.
    float up(float y) const { return size_.y - y; }
    void paint(ImU32 colour, const char* which) {
        const int alpha = channelOf(colour, IM_COL32_A_SHIFT);
        const int number = alphas_.emplace(alpha, static_cast<int>(alphas_.size())).first->second;
        page_ += formatted("/A%d gs %.3f %.3f %.3f %s\n", number, channelOf(colour, IM_COL32_R_SHIFT) / 255.0,
                           channelOf(colour, IM_COL32_G_SHIFT) / 255.0, channelOf(colour, IM_COL32_B_SHIFT) / 255.0, which);
    }
    void fill(ImU32 colour) { paint(colour, "rg"); }
    void stroke(ImU32 colour, float width) {
        paint(colour, "RG");
        page_ += formatted("%.2f w\n", width);
    }
    /// Four cubic curves, within 0.03 % of a circle.
    void circle(ImVec2 centre, float radius) {
        const float x = centre.x, y = up(centre.y), r = radius, k = 0.5523f * radius;
        page_ += formatted("%.2f %.2f m %.2f %.2f %.2f %.2f %.2f %.2f c ", x + r, y, x + r, y + k, x + k, y + r, x, y + r);
        page_ += formatted("%.2f %.2f %.2f %.2f %.2f %.2f c ", x - k, y + r, x - r, y + k, x - r, y);
        page_ += formatted("%.2f %.2f %.2f %.2f %.2f %.2f c ", x - r, y - k, x - k, y - r, x, y - r);
        page_ += formatted("%.2f %.2f %.2f %.2f %.2f %.2f c h ", x + k, y - r, x + r, y - k, x + r, y);
    }

    ImVec2 size_;
    const ImFont* mono_;
    std::string page_;
    std::map<int, int> alphas_;  ///< opacity of 255, and the number of its state
};

}  // namespace

PageFormat pageFormat(std::string_view path) {
    return path.ends_with(".svg") ? PageFormat::svg : path.ends_with(".pdf") ? PageFormat::pdf : PageFormat::png;
}

std::unique_ptr<VectorInk> svgInk(ImVec2 size, const ImFont* mono) { return std::make_unique<SvgInk>(size, mono); }
std::unique_ptr<VectorInk> pdfInk(ImVec2 size, const ImFont* mono) { return std::make_unique<PdfInk>(size, mono); }

}  // namespace gravlab
