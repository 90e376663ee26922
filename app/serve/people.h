// Who watches a run, and who drives it: hosts, one driver, viewers. Rule: it reads no clock; times come in [s].
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

struct Person {
    std::uint32_t id = 0;  ///< of a person: each new one gets the next number; 0: of none
    std::string name, seat;
    bool host = false;  ///< came by the address `drive:`
    bool asks = false;  ///< for the wheel
    double left = -1;   ///< when the connection ended [s]; below 0: it is there
};

class People {
public:
    /// Somebody connects. `seat`: the secret of an earlier connection, which is continued; else `newSeat` is the secret.
    const Person& enter(bool host, std::string name, const std::string& seat, std::string newSeat, double now);
    /// A connection ended. The place is kept for a while.
    void leave(std::uint32_t id, double now);
    /// Forgets people who have been away for too long. Returns whether anything changed.
    bool update(double now);

    /// The person who drives; 0: nobody.
    std::uint32_t driver() const { return driver_; }
    /// Whether the driver is a host. Without a driver it is true, because then hosts alone send commands.
    bool driverIsHost() const;
    /// Each returns whether anything changed. The driver and hosts give the wheel, a host takes it.
    bool ask(std::uint32_t id);
    bool give(std::uint32_t from, std::uint32_t to);
    bool takeWheel(std::uint32_t id);

    const std::vector<Person>& all() const { return all_; }

private:
    Person* find(std::uint32_t id);

    std::vector<Person> all_;
    std::uint32_t driver_ = 0, last_ = 0;
};

}  // namespace gravlab
