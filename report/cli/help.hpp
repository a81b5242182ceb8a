// How `--help` looks.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace prof::cli {

// CLI11's help with examples first, usage lines of our own and descriptions that are wrapped beside the options.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace prof::cli
