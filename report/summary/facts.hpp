// What ran, how long, on what: the first lines of the summary, each with its label.
#pragma once

#include <string>
#include <vector>

#include "report/fold/own/own_lines.hpp"
#include "report/show/terminal.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// "Time       1.50 s of wall time ...": wrapped to the terminal's width, further lines below the text.
std::string labelled(const Terminal& terminal, const char* label, const std::string& text, Style style = Style::Bold);

struct Fact {
  const char* label;  // "Time"; empty: goes on with what the one before it is about
  std::string text;
  Style style = Style::Bold;
};

// What ran, on one line.
std::string command_line(const Subject& subject);

// The run, its time and memory, and of training and GPUs what there is. `lines`: line_tree().
std::vector<Fact> fact_list(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines);

// What was lost or not seen, and what profiling cost. `lines`: line_tree().
std::vector<Fact> reservation_list(const Subject& subject, const fold::CallTree& lines);

// The command, then the facts.
std::string facts(const Subject& subject, const ViewOptions& options, const Terminal& terminal,
                  const fold::CallTree& lines);

// What was lost or not seen, and what profiling cost, as text.
std::string reservations(const Subject& subject, const Terminal& terminal, const fold::CallTree& lines);

}  // namespace prof::show
