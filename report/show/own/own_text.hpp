// The user's own lines, as tables have them.
#pragma once

#include <optional>
#include <string>

#include "report/fold/own/own_lines.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::show {

// What a row spent its time in: "numpy 61 %, garbage collector 9 %"; the largest shares, at most `most` of them.
// Empty where it is all the line's own code.
std::string spent_text(const fold::OwnLine& row, std::size_t most = 4);
// The same of its CPU time alone.
std::string computed_text(const fold::OwnLine& row, std::size_t most = 4);
// The same of whose code allocated what the line held at the peak.
std::string held_text(const fold::OwnLine& row, std::size_t most = 4);
// Whether most of what a row took went to imports, and whether they hold most of its memory at the peak.
bool mainly_imports(const fold::OwnLine& row);
bool holds_imports(const fold::OwnLine& row);

// "m.py:14", "m.py:3(work)" by function; of the row of no own code "(no code of your own)".
std::string own_place(const Subject& subject, const fold::OwnLine& row, const ViewOptions& options);

// The text of the line, where its file is there.
std::string own_source(symbols::SourceFiles& files, const fold::OwnLine& row);

// What is known of each row. `tree`: see fold::line_tree().
Figures<fold::OwnLine> own_figures(const Subject& subject, const fold::OwnLines& lines, const fold::CallTree& tree,
                                   const ViewOptions& options);

// What orders the rows of a table.
enum class OwnOrder { Time, Memory };

// The first rows as a table for people: those that matter, `most` at most, one of own code at least, the row of no own
// code with them where it is one of these. No rows where nothing was measured, or no own code was seen.
Sheet own_table(const Subject& subject, const ViewOptions& options, const fold::OwnLines& lines, OwnOrder order,
                std::size_t most);

}  // namespace prof::show
