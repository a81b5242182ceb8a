// What the views of blocking calls, files and locks share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/show/view.hpp"

namespace prof::show {

// Why there is nothing to show, and what to do about it; nothing where any selected process recorded blocking calls.
std::optional<std::string> why_no_waits(const Subject& subject);

// The selection, losses.
std::vector<std::string> wait_captions(const Subject& subject, const ViewOptions& options);

// "worker (tid 101)", or "tid 101" where no thread of the process has that number any more.
std::string thread_label(const model::Process& process, std::uint32_t tid);

// "EAGAIN"; the number itself where it has no name; empty for 0.
std::string errno_name(std::int64_t number);

}  // namespace prof::show
