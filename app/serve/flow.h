// Which pictures a client gets: as many as its link carries, and no older ones.
// Rule: it reads no clock; times come in [s].
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

namespace gravlab {

class Flow {
public:
    /// A picture was given to the client's socket.
    void sent(std::uint32_t frame, double now);
    /// The client shows this picture. What it never got changes nothing.
    void acked(std::uint32_t frame, double now);
    /// The client watches: its pictures may be older than those of the driver.
    bool watches = true;

    /// Whether a further picture arrives in time; `spare`: also one that later pictures need.
    bool room(double now, bool spare = false) const;
    bool empty() const { return out_.empty(); }
    /// Age of the oldest picture that the client does not show yet [s].
    double age(double now) const { return out_.empty() ? 0 : now - out_.front().second; }
    /// The least time of the last ten seconds between a picture and its answer [s], limited: a line that is always full
    /// shows the time of its queue instead.
    double delay() const { return std::min({delay_, before_, 0.2}); }

private:
    std::deque<std::pair<std::uint32_t, double>> out_;
    std::deque<double> answers_;                 ///< times of the newest
    double delay_ = 1, before_ = 1, since_ = 0;  ///< least delays of this span of five seconds and of the one before
};

/// The part of the bit rate that the driver's link carries: less where pictures find no place, more when all have found one
/// for ten seconds.
class RateShare {
public:
    /// A picture was drawn. `sent`: so was the one before it; `room`: the link takes this one at once.
    void drawn(bool sent, bool room, double now);
    double now() const { return share_; }

private:
    double share_ = 1, before_ = 0,
           fitted_ = 0;                          ///< before steps down: the share, and the part of pictures that found place
    double begun_ = 0, cleanAt_ = 0, held_ = 0;  ///< [s]
    int all_ = 0, sent_ = 0, late_ = 0;          ///< pictures since `begun_`
};

}  // namespace gravlab
