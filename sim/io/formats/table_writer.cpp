// Tables of numbers: 17 significant digits, so that reading gives the same doubles; a point whatever the locale.
#include "sim/io/file/byte_sink.h"
#include "sim/io/formats/formats.h"

#include <algorithm>
#include <charconv>

namespace gravlab {
namespace {

constexpr int kDigits = 17;

class RowWriter {
public:
    RowWriter(ByteSink& sink, char separator) : sink_(sink), separator_(separator) {}

    void number(double value) {
        begin();
        at_ = std::to_chars(at_, row_ + sizeof row_, value, std::chars_format::general, kDigits).ptr;
    }
    void endRow() {
        *at_++ = '\n';
        sink_.write(row_, static_cast<std::size_t>(at_ - row_));
        at_ = row_;
    }

private:
    void begin() {
        if (at_ != row_) *at_++ = separator_;
    }

    ByteSink& sink_;
    char separator_;
    char row_[512];  // 8 numbers of at most 24 characters each
    char* at_ = row_;
};

void writeRows(ByteSink& sink, const ParticleSet& bodies, char separator, bool withResponse) {
    RowWriter row(sink, separator);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4& p = bodies.position[i];
        const Double4& v = bodies.velocity[i];
        for (double value : {p.w, p.x, p.y, p.z, v.x, v.y, v.z}) row.number(value);
        if (withResponse) row.number(v.w);
        row.endRow();
    }
}

}  // namespace

void writeCsv(ByteSink& sink, const Snapshot& snapshot) {
    // Under gravity every response is 1 and the table is the plain seven columns that scripts rely on.
    const auto& velocity = snapshot.bodies.velocity;
    const bool withResponse = std::any_of(velocity.begin(), velocity.end(), [](const Double4& v) { return v.w != 1; });
    sink.write(withResponse ? "m,x,y,z,vx,vy,vz,response\n" : "m,x,y,z,vx,vy,vz\n");
    writeRows(sink, snapshot.bodies, ',', withResponse);
}

void writeTab(ByteSink& sink, const Snapshot& snapshot) { writeRows(sink, snapshot.bodies, ' ', false); }

}  // namespace gravlab
