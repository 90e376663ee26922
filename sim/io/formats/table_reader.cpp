// Tables of numbers: CSV and columns separated by blanks, with or without a header, whatever the locale. Rule: a line is a
// body, a comment, a header or an error; no line is skipped silently.
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/io/file/source.h"
#include "sim/io/formats/body_collector.h"
#include "sim/io/formats/formats.h"
#include "sim/io/formats/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace gravlab {
namespace {

/// The meaning of a column. The names are those of other programs, in lower case.
enum class Role { skip, number, id, group, name, tag };
struct Column {
    std::string_view name, names;  ///< `names`: between blanks
    Role role;
    double BodyRow::*value = nullptr;
};
constexpr Column kColumns[] = {
    {"x", " x posx pos_x x_pos x_position rx points:0 ", Role::number, &BodyRow::x},
    {"y", " y posy pos_y y_pos y_position ry points:1 ", Role::number, &BodyRow::y},
    {"z", " z posz pos_z z_pos z_position rz points:2 ", Role::number, &BodyRow::z},
    {"vx", " vx velx vel_x v_x x_vel x_velocity velocity_x xdot ", Role::number, &BodyRow::vx},
    {"vy", " vy vely vel_y v_y y_vel y_velocity velocity_y ydot ", Role::number, &BodyRow::vy},
    {"vz", " vz velz vel_z v_z z_vel z_velocity velocity_z zdot ", Role::number, &BodyRow::vz},
    {"m", " m mass masses charge q source ", Role::number, &BodyRow::mass},
    {"response", " response ", Role::number, &BodyRow::response},
    {"radius", " radius ", Role::number, &BodyRow::radius},
    {"sx", " sx spinx spin_x wx omega_x ", Role::number, &BodyRow::spinX},
    {"sy", " sy spiny spin_y wy omega_y ", Role::number, &BodyRow::spinY},
    {"sz", " sz spinz spin_z wz omega_z ", Role::number, &BodyRow::spinZ},
    {"id", " id ids key index particle_id ", Role::id},
    {"group", " group type species ", Role::group},
    {"name", " name names label ", Role::name},
    {"tag", " tag tags ", Role::tag},
};
constexpr Column kSkipped{"-", {}, Role::skip};

/// Column orders of tables without a header, by the number of columns.
struct BareTable {
    std::size_t columns;
    std::string_view names;
};
constexpr BareTable kBareTables[] = {{7, "m,x,y,z,vx,vy,vz"}, {8, "id,m,x,y,z,vx,vy,vz"}};

/// What the numbers of a column are, and the powers of length, mass and time in their unit.
struct Quantity {
    std::string_view noun;
    int length, mass, time;
};
constexpr Quantity kQuantities[] = {
    {"length", 1, 0, 0}, {"mass", 0, 1, 0}, {"velocity", 1, 0, -1}, {"rate of turning", 0, 0, -1}};
constexpr std::size_t kOfLength = 0, kOfMass = 1, kOfVelocity = 2, kOfTurning = 3;

/// Index of the quantity of a column; empty where it has no unit.
std::optional<std::size_t> quantityOf(const Column& column) {
    if (column.role != Role::number || column.name == "response") return std::nullopt;
    if (column.name == "m") return kOfMass;
    return column.name.starts_with('v') ? kOfVelocity : column.name.starts_with('s') ? kOfTurning : kOfLength;
}

constexpr std::size_t kMostColumns = 256;
constexpr bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

using Cells = std::vector<std::string_view>;

std::string_view unquoted(std::string_view cell) {
    if (cell.size() >= 2 && (cell.front() == '"' || cell.front() == '\'') && cell.back() == cell.front())
        return trimmed(cell.substr(1, cell.size() - 2));
    return cell;
}

/// The position after the closing quote of a cell in double quotes; npos when it does not close. Two quotes represent one.
std::size_t quoteEnd(std::string_view line, std::size_t at) {
    for (++at; at < line.size(); ++at)
        if (line[at] == '"') {
            if (at + 1 == line.size() || line[at + 1] != '"') return at + 1;
            ++at;
        }
    return std::string_view::npos;
}

/// The separator of a line: ';' before ',' before blanks (written as a blank). Text in double quotes does not count.
char separatorOf(std::string_view line) {
    char found = ' ';
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '"') {
            const std::size_t end = quoteEnd(line, at);
            if (end != std::string_view::npos) at = end - 1;
        } else if (line[at] == ';') {
            return ';';
        } else if (line[at] == ',') {
            found = ',';
        }
    }
    return found;
}

/// The end of the cell that begins at `at`: its separator, or the end of the line. A cell in double quotes may contain the
/// separator if only blanks follow the closing quote.
std::size_t cellEnd(std::string_view line, std::size_t at, char separator) {
    std::size_t first = at;
    while (first < line.size() && isBlank(line[first])) ++first;
    if (first < line.size() && line[first] == '"') {
        std::size_t stop = quoteEnd(line, first);
        while (stop < line.size() && isBlank(line[stop]) && separator != ' ') ++stop;
        if (stop == line.size() ||
            (stop < line.size() && (separator == ' ' ? isBlank(line[stop]) : line[stop] == separator)))
            return stop;
    }
    if (separator == ' ') {
        while (first < line.size() && !isBlank(line[first])) ++first;
        return first;
    }
    return std::min(line.find(separator, at), line.size());
}

enum class Parsed { yes, notANumber, outOfRange };

/// A number in C notation; a leading '+' and Fortran's exponent letter D are accepted.
Parsed parse(std::string_view cell, double& value) {
    if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
    const char* end = cell.data() + cell.size();
    auto result = std::from_chars(cell.data(), end, value);
    if (result.ec == std::errc{} && result.ptr != end && (*result.ptr == 'D' || *result.ptr == 'd') && cell.size() < 64) {
        char text[64];
        std::copy(cell.begin(), cell.end(), text);
        text[result.ptr - cell.data()] = 'e';
        const char* textEnd = text + cell.size();
        result = std::from_chars(text, textEnd, value);
        if (result.ec == std::errc{}) return result.ptr == textEnd ? Parsed::yes : Parsed::notANumber;
        return result.ec == std::errc::result_out_of_range ? Parsed::outOfRange : Parsed::notANumber;
    }
    if (result.ec == std::errc::result_out_of_range && result.ptr == end) return Parsed::outOfRange;
    return result.ec == std::errc{} && result.ptr == end ? Parsed::yes : Parsed::notANumber;
}

bool isNumber(std::string_view cell) {
    double value;
    return parse(cell, value) != Parsed::notANumber;
}

bool looksLikeDecimalComma(std::string_view cell) {
    return cell.find(',') != cell.npos && cell.find_first_not_of("0123456789+-eE,") == cell.npos;
}

/// The column of that name, whatever its letters; blanks count as underscores.
const Column& columnOf(std::string_view cell) {
    std::string name = inLowerCase(cell);
    std::ranges::replace(name, ' ', '_');
    name = " " + name + " ";
    for (const Column& column : kColumns)
        if (column.names.find(name) != std::string_view::npos) return column;
    return kSkipped;
}

/// The column that a header cell names; "x [AU]" and "mass(kg)" name x and mass and state the unit.
const Column& columnNamed(std::string_view cell, std::string* unit) {
    const std::size_t bracket = cell.find_first_of("[(");
    if (bracket != std::string_view::npos && bracket > 0) {
        if (unit) *unit = cell.substr(bracket + 1, cell.find_first_of("])", bracket) - bracket - 1);
        cell = trimmed(cell.substr(0, bracket));
    }
    return columnOf(cell);
}

/// The column of "mass_Msun" or "vx_kms": a name, and a unit of its quantity after the last underscore.
const Column& columnWithUnit(std::string_view cell, std::string& unit) {
    const std::size_t mark = cell.rfind('_');
    if (mark == std::string_view::npos) return kSkipped;
    const Column& column = columnOf(cell.substr(0, mark));
    const std::optional<std::size_t> which = quantityOf(column);
    const std::optional<ParsedUnit> parsed = which ? parsedUnit(cell.substr(mark + 1)) : std::nullopt;
    if (!parsed || parsed->length != kQuantities[*which].length || parsed->mass != kQuantities[*which].mass ||
        parsed->time != kQuantities[*which].time)
        return kSkipped;
    unit = cell.substr(mark + 1);
    return column;
}

class TableReader {
public:
    TableReader(Source& source, const ReadOptions& options)
        : name_(source.name()), options_(options), lines_(source), bodies_(source.name(), options, false) {
        if (!options.columns.empty()) takeOption();
    }

    Snapshot read() {
        std::string_view line;
        while (lines_.next(line)) {
            line = trimmed(line);
            if (line.empty() || readSeparator(line)) continue;
            const std::size_t mark = commentMark(line);
            if (mark > 0)
                readComment(trimmed(line.substr(mark)));
            else
                readLine(line);
        }
        if (!lines_.endedWithNewline() && bodies_.seen() > 0)
            throw InputError(name_ + ": line " + std::to_string(lines_.number()) +
                             " has no line end: the file may be cut short. If it is complete, add a line end");
        Snapshot snapshot;
        bodies_.finish(snapshot, has("id"), has("group"));
        snapshot.knowsVelocities = has("vx");
        if (!has("z")) snapshot.notes.push_back("no column z: the bodies are in the plane z = 0");
        if (!snapshot.knowsVelocities) snapshot.notes.push_back("no velocities: the bodies start at rest");
        for (const std::string& skipped : skipped_) snapshot.notes.push_back("column " + excerpt(skipped) + " is not used");
        if (!remark_.empty() && !stated_ && options_.units.empty())
            snapshot.notes.push_back("the comment " + remark_ +
                                     " is not read: state units with the columns, such as x [kpc]");
        if (!ignoredUnit_.empty()) snapshot.notes.push_back(ignoredUnit_ + "; the units of the options are taken for it");
        convertUnits(snapshot, options_, stated_, name_);
        return snapshot;
    }

private:
    [[noreturn]] void fail(const std::string& text) const { lines_.fail(text); }

    /// "# G = 43007.1": G in the numbers of the table, whatever units its header states.
    bool readGravity(std::string_view text) {
        const std::size_t equals = text.find('=');
        double value = 0;
        if (equals == std::string_view::npos || trimmed(text.substr(0, equals)) != "G" ||
            parse(trimmed(text.substr(equals + 1)), value) != Parsed::yes)
            return false;
        if (!(value > 0) || !std::isfinite(value)) fail("G must be a finite number above 0");
        gravity_ = value;
        return true;
    }

    /// "sep=;": the separator, as spreadsheets write it above the header.
    bool readSeparator(std::string_view line) {
        if (separatorKnown_ || !line.starts_with("sep=") || line.size() > 5) return false;
        separator_ = line.size() == 5 ? line[4] : ' ';
        return separatorKnown_ = true;
    }

    static std::size_t commentMark(std::string_view line) {
        for (std::string_view mark : {"#", "%", "//", "!"})
            if (line.starts_with(mark)) return mark.size();
        return 0;
    }

    bool has(std::string_view name) const {
        return std::ranges::any_of(columns_, [&](const Column* column) { return column->name == name; });
    }

    void takeOption() {
        Cells names;
        splitCells(options_.columns, separatorOf(options_.columns), names);
        for (std::string_view cell : names) {
            const Column& column = columnNamed(cell, nullptr);
            if (&column == &kSkipped && cell != "-" && cell != "_")
                throw UsageError("--columns: " + excerpt(cell) +
                                 " is no column; valid: x, y, z, vx, vy, vz, m, radius, sx, sy, sz, id, group, response, "
                                 "name, tag, and - to skip one");
            columns_.push_back(&column);
        }
        units_.assign(columns_.size(), {});
        if (const std::string problem = columnProblem(); !problem.empty()) throw UsageError("--columns: " + problem);
        fromOption_ = true;
    }

    /// Two dimensions: positions and velocities without z, and no column that another name could hide.
    bool isPlane() const { return has("vx") && !has("z") && !has("vz") && std::ranges::count(columns_, &kSkipped) == 0; }

    /// Why these columns cannot make bodies; empty when they can.
    std::string columnProblem() const {
        for (const Column& column : kColumns)
            if (std::ranges::count(columns_, &column) > 1)
                return "the column " + std::string(column.name) + " is there twice";
        for (std::string_view needed : {"x", "y", "z"})
            if (!has(needed) && !(needed == "z" && isPlane())) return "there is no column " + std::string(needed);
        if (!has("m")) return "there is no column m (mass)";
        if (has("vx") != has("vy") || (has("vx") != has("vz") && !isPlane())) return "only some of vx, vy, vz are there";
        return {};
    }

    // Names may be in a comment ("# m x y z vx vy vz"), units in the next comment. Only the first body shows the number of
    // columns, and so whether the comments fit.
    void readComment(std::string_view text) {
        if (bodies_.seen() > 0 || !columns_.empty()) return;
        if (readGravity(text)) return;
        if (inLowerCase(text.substr(0, 5)) == "units") remark_ = excerpt(text);
        if (text.starts_with("COL:")) {
            readAmuseColumn(text);
            return;
        }
        splitCells(text, separatorOf(text), cells_);
        if (cells_.size() > kMostColumns) return;
        if (!commentNames_.empty() && commentUnits_.empty() && cells_.size() == commentNames_.size())
            commentUnits_.assign(cells_.begin(), cells_.end());
        else if (std::ranges::count_if(cells_, [](auto cell) { return &columnNamed(cell, nullptr) != &kSkipped; }) >= 4)
            commentNames_.assign(cells_.begin(), cells_.end());
    }

    // AMUSE's "COL:index:name:on:factor:...:(unit)" lines, one per column, in order.
    void readAmuseColumn(std::string_view text) {
        splitCells(text, ':', cells_);
        if (cells_.size() < 3 || commentNames_.size() >= kMostColumns) return;
        commentNames_.emplace_back(cells_[2]);
        namesSure_ = true;
        std::string_view unit = cells_.back();
        if (unit.starts_with('(') && unit.ends_with(')')) unit = unit.substr(1, unit.size() - 2);
        commentUnits_.emplace_back(unit);
    }

    void readLine(std::string_view line) {
        if (!separatorKnown_) {
            separator_ = separatorOf(line);
            separatorKnown_ = true;
        }
        splitCells(line, separator_, cells_);
        if (cells_.size() > kMostColumns)
            fail("more than " + std::to_string(kMostColumns) + " columns: this is no table of bodies");
        if (bodies_.seen() == 0 && !isNumber(cells_.front()) && readHeader()) return;
        if (columns_.empty()) chooseColumns();
        // A separator at the end of every line adds one empty cell.
        if (cells_.size() == columns_.size() + 1 && cells_.back().empty()) cells_.pop_back();
        if (cells_.size() != columns_.size())
            fail("has " + std::to_string(cells_.size()) + " columns, expected " + std::to_string(columns_.size()) + " (" +
                 joined(columns_, &Column::name, ",") + ")");
        if (bodies_.seen() == 0) settleUnits();
        readBody();
    }

    /// Reads a line of words as column names or, after those, as units. False when it is neither.
    bool readHeader() {
        if (!headerSeen_) {
            headerSeen_ = true;
            if (cells_.back().empty()) cells_.pop_back();
            for (std::size_t i = 0; fromOption_ && i < std::min(cells_.size(), units_.size()); ++i)
                columnNamed(cells_[i], &units_[i]);
            if (fromOption_) return true;
            if (std::ranges::all_of(cells_, looksLikeDecimalComma))
                fail(excerpt(cells_.front()) + " is no number: write a decimal point, not a comma");
            setColumns(Cells(cells_));
            headerNamed_ = true;
            return true;
        }
        if (!headerNamed_ || unitLineSeen_ || cells_.size() != columns_.size() ||
            std::ranges::any_of(cells_, [](auto cell) { return !cell.empty() && isNumber(cell); }))
            return false;
        unitLineSeen_ = true;
        units_.assign(cells_.begin(), cells_.end());
        return true;
    }

    template <class Names>
    void setColumns(const Names& names) {
        columns_.clear();
        units_.clear();
        for (const auto& name : names) {
            std::string unit;
            columns_.push_back(&columnNamed(name, &unit));
            units_.push_back(unit);
        }
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i] != &kSkipped) continue;
            if (const Column& named = columnWithUnit(names[i], units_[i]); &named != &kSkipped && !has(named.name))
                columns_[i] = &named;
            else
                skipped_.emplace_back(names[i]);
        }
        if (const std::string problem = columnProblem(); !problem.empty())
            fail(problem + " in the header (" + joined(names, excerpt, ",") + "); name the columns with --columns");
    }

    void chooseColumns() {
        if (commentNames_.size() == cells_.size()) {
            requireClear(commentNames_);
            setColumns(commentNames_);
            if (commentUnits_.size() == commentNames_.size()) units_ = commentUnits_;
            return;
        }
        for (const BareTable& table : kBareTables)
            if (table.columns == cells_.size()) {
                Cells names;
                splitCells(table.names, ',', names);
                setColumns(names);
                return;
            }
        if (!isNumber(cells_.front())) fail(excerpt(cells_.front()) + " is no number");
        fail("a table without a header has 7 columns (m x y z vx vy vz) or 8 (id first), this one " +
             std::to_string(cells_.size()) + "; name them with --columns");
    }

    /// A comment that names some columns among other words may be prose, when the table also reads without it.
    void requireClear(const std::vector<std::string>& names) {
        constexpr std::ptrdiff_t kAll = 7;  // a comment that names all of x, y, z, vx, vy, vz, m is not prose
        const auto named =
            std::ranges::count_if(names, [](const std::string& name) { return &columnNamed(name, nullptr) != &kSkipped; });
        if (named >= kAll) return;
        const bool bare =
            std::ranges::any_of(kBareTables, [&](const BareTable& table) { return table.columns == names.size(); });
        if (!bare || namesSure_) return;
        for (const std::string& name : names)
            if (&columnNamed(name, nullptr) == &kSkipped && name != "-")
                fail("it is unclear whether the comment before it names the columns (" + excerpt(name) +
                     "); name them with --columns");
    }

    void readBody() {
        BodyRow row;
        std::string_view name, tag;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const Column& column = *columns_[i];
            const std::string_view cell = cells_[i];
            if (column.role == Role::number) {
                double& value = row.*column.value;
                if (const Parsed parsed = parse(cell, value); parsed != Parsed::yes) failCell(column, cell, parsed);
                if (factors_[i] != 1) value *= factors_[i];
            } else if (column.role == Role::id) {
                row.id = whole(column, cell, ~std::uint64_t{0});
            } else if (column.role == Role::group) {
                row.group = static_cast<std::uint8_t>(whole(column, cell, 255));
            } else if (column.role != Role::skip) {
                (column.role == Role::name ? name : tag) = cell;
            }
        }
        const bool kept = bodies_.add(row, [&] { return "line " + std::to_string(lines_.number()); });
        if (kept && !(name.empty() && tag.empty())) bodies_.name(singleQuotes(name), singleQuotes(tag));
    }

    /// Two quotes within quotes represent one.
    static std::string singleQuotes(std::string_view cell) {
        std::string text;
        for (std::size_t i = 0; i < cell.size(); ++i) {
            text += cell[i];
            if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
        }
        return text;
    }

    [[noreturn]] void failCell(const Column& column, std::string_view cell, Parsed parsed) const {
        const std::string start = "body " + std::to_string(bodies_.seen()) + ": " + std::string(column.name) + " is ";
        if (cell.empty()) fail(start + "empty");
        if (parsed == Parsed::outOfRange) fail(start + excerpt(cell) + ", outside the range of a double");
        fail(start + excerpt(cell) + ", which is no number" +
             (cell.find(',') != std::string_view::npos ? ": write a decimal point, not a comma" : ""));
    }

    std::uint64_t whole(const Column& column, std::string_view cell, std::uint64_t most) const {
        std::optional<std::uint64_t> value = numberFrom<std::uint64_t>(cell);
        // Programs that know only floating point write "3.0" or "3.000e+00".
        double number = 0;
        constexpr double kExact = 9007199254740992.0;
        if (!value && parse(cell, number) == Parsed::yes && number >= 0 && number <= kExact && number == std::floor(number))
            value = static_cast<std::uint64_t>(number);
        if (!value || *value > most)
            fail("body " + std::to_string(bodies_.seen()) + ": " + std::string(column.name) + " is " + excerpt(cell) +
                 ", expected a whole number from 0" + (most == 255 ? " to 255" : "") +
                 (headerNamed_ || fromOption_ ? ""
                                              : " (8 columns without a header are id,m,x,y,z,vx,vy,vz; or use --columns)"));
        return *value;
    }

    /// Takes the units of the file from its columns, and the factors of columns in other units of the same quantity. Where
    /// the options give other units than the header, they hold for all columns.
    void settleUnits() {
        const std::size_t none = columns_.size();
        std::vector<ParsedUnit> units(none, ParsedUnit{.factor = 0});  // 0: the column states none
        std::array<std::size_t, std::size(kQuantities)> first;
        first.fill(none);
        factors_.assign(none, 1);
        std::string problem;
        const auto fault = [&](const std::string& text) {
            if (problem.empty()) problem = text;
        };
        const auto is = [&](std::size_t i) { return std::string(columns_[i]->name) + " is in " + excerpt(units_[i]); };
        for (std::size_t i = 0; i < none; ++i) {
            const std::optional<std::size_t> which = quantityOf(*columns_[i]);
            if (!which || units_[i].empty() || units_[i] == "-" || units_[i] == "none") continue;
            const Quantity& quantity = kQuantities[*which];
            units[i] = parsedUnit(units_[i]).value_or(units[i]);
            if (units[i].factor == 0)
                fault(is(i) + ", which is no known unit");
            else if (units[i].length != quantity.length || units[i].mass != quantity.mass || units[i].time != quantity.time)
                fault(is(i) + ", which is no unit of " + std::string(quantity.noun));
            if (first[*which] == none || columns_[first[*which]]->name == "radius") first[*which] = i;
        }
        const auto [length, mass, velocity, turning] = first;
        StatedUnits stated;
        stated.gravity = gravity_;
        if (std::ranges::count(first, none) == std::ssize(first)) {
            stated.words = "G in its remark";
            if (gravity_) stated_ = stated;
            return;
        }
        const auto lacks = [&](const char* column) {
            fault(std::string(column) + " has no unit in the header, which states those of other columns");
        };
        if (length == none || columns_[length]->name == "radius") lacks("x");
        if (mass == none) lacks("m");
        if (velocity == none && has("vx")) lacks("vx");
        for (std::size_t i = 0; i < none && problem.empty(); ++i)
            if (units[i].factor > 0 && units[i].length != 0 && units[i].nbody != units[length].nbody)
                fault(is(i) + ", and " + is(length) + ": only one of them is an N-body unit");
        const bool given = options_.gravity || !options_.units.empty();
        if (!problem.empty() && !given)
            throw InputError(name_ + ": " + problem + "; correct the header, or give all units with --units or --G");
        if (!problem.empty()) {
            ignoredUnit_ = problem;
            return;
        }
        stated.dimensionless = units[length].nbody;
        stated.length = units[length].factor, stated.lengthName = units_[length];
        stated.mass = units[mass].factor, stated.massName = units_[mass];
        stated.velocity = velocity != none ? units[velocity].factor : stated.dimensionless ? 1 : 1e3;
        stated.velocityName = velocity != none ? units_[velocity] : "km/s";
        for (std::size_t i = 0; i < none; ++i)
            if (i == length || i == mass || i == velocity)
                addTo(stated.words, std::string(columns_[i]->name) + " in " + excerpt(units_[i]));
        stated_ = stated;
        if (given && !sameUnits(options_, stated)) return;
        const double sizes[] = {stated.length, stated.mass, stated.velocity, stated.velocity / stated.length};
        for (std::size_t i = 0; i < none; ++i)
            if (units[i].factor > 0) factors_[i] = units[i].factor / sizes[*quantityOf(*columns_[i])];
    }

    std::string name_;
    const ReadOptions& options_;
    LineReader lines_;
    BodyCollector bodies_;
    Cells cells_;
    std::vector<const Column*> columns_;
    std::vector<std::string> units_, commentNames_, commentUnits_, skipped_;
    char separator_ = ' ';
    bool separatorKnown_ = false, fromOption_ = false, headerSeen_ = false, headerNamed_ = false, unitLineSeen_ = false;
    std::vector<double> factors_;  ///< of the columns, to the first unit of their quantity
    std::optional<StatedUnits> stated_;
    std::string remark_;             ///< a comment about units
    std::string ignoredUnit_;        ///< what is wrong with the units of the header, where the options give others
    std::optional<double> gravity_;  ///< from a comment
    bool namesSure_ = false;         ///< the comments name columns and nothing else
};

}  // namespace

bool looksLikeTable(const Source& source) {
    const std::string_view head = source.head();
    return !head.empty() && std::ranges::all_of(head, [](char c) {
        return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
    });
}

Snapshot readTable(Source& source, const ReadOptions& options) { return TableReader(source, options).read(); }

/// One cell more than kMostColumns at most, which shows that there are too many.
void splitCells(std::string_view line, char separator, Cells& cells) {
    const bool blanks = separator == ' ';
    cells.clear();
    for (std::size_t at = 0; cells.size() <= kMostColumns; ++at) {
        while (blanks && at < line.size() && isBlank(line[at])) ++at;
        if (blanks && at == line.size()) return;
        const std::size_t stop = cellEnd(line, at, separator);
        cells.push_back(unquoted(trimmed(line.substr(at, stop - at))));
        if (stop == line.size()) return;
        at = blanks ? stop - 1 : stop;
    }
}
bool parsedCell(std::string_view cell, double& value) { return parse(cell, value) == Parsed::yes; }

}  // namespace gravlab
