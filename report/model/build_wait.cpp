#include "report/model/build_wait.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "report/model/blocked_shares.hpp"
#include "report/model/merge_rows.hpp"

namespace prof::model {
namespace {

bool is_lock(std::uint64_t kind) {
  // 0: its log does not say.
  return kind == 0 || (kind >= static_cast<std::uint64_t>(log::LockKind::Mutex) &&
                       kind <= static_cast<std::uint64_t>(log::LockKind::Barrier));
}

bool is_named(const Process& process, std::uint32_t frame, log::NameKind kind) {
  const Frame& meaning = process.tree.frames[frame];
  if (meaning.kind != Frame::Kind::Named) return false;
  return meaning.name == kNoName || process.names[meaning.name].kind == kind;
}

template <typename RowType, typename Keep>
void keep_rows(std::vector<RowType>& rows, Damage& damage, Keep keep) {
  damage.bad_references += std::erase_if(rows, [&](const RowType& row) { return !keep(row); });
}

void drop_astray(Process& process) {
  Tree& tree = process.tree;
  keep_rows(tree.waits, process.damage, [&](const Row<WaitMetric>& row) {
    const std::uint32_t frame = tree.nodes[row.node].frame;
    return is_named(process, frame, log::NameKind::Wait) || is_named(process, frame, log::NameKind::Api);
  });
  keep_rows(tree.wait_totals, process.damage,
            [&](const FrameRow<WaitTotal>& row) { return is_named(process, row.frame, log::NameKind::Wait); });
  keep_rows(tree.files, process.damage,
            [&](const FrameRow<FileMetric>& row) { return is_named(process, row.frame, log::NameKind::File); });
  keep_rows(tree.locks, process.damage, [&](const FrameRow<LockMetric>& row) {
    const Frame::Kind kind = tree.frames[row.frame].kind;
    return kind == Frame::Kind::Native || kind == Frame::Kind::Anonymous;
  });
}

// CPU time on a call's own frame is time that its thread did not wait.
void tell_cpu_inside(Process& process) {
  Tree& tree = process.tree;
  std::unordered_set<std::uint32_t> waited_at;
  for (const auto& row : tree.waits) waited_at.insert(row.node);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> by_function;
  for (const auto& row : tree.cpu) {
    const std::uint32_t frame = tree.nodes[row.node].frame;
    const bool of_api = is_named(process, frame, log::NameKind::Api);
    if (!(of_api ? waited_at.contains(row.node) : is_named(process, frame, log::NameKind::Wait))) continue;
    tree.waits.push_back({row.node, row.slot, {0, 0, row.metric.ns, 0}});
    std::int64_t& ns = by_function[{frame, row.slot}];
    ns = saturated_sum(ns, row.metric.ns);
  }
  merge_rows(tree.waits);
  for (auto& row : tree.wait_totals) {
    const auto found = by_function.find({row.frame, row.slot});
    if (found != by_function.end()) row.metric.cpu_ns = found->second;
  }
}

// Of so few calls that there is no distribution the least, the most and the sum tell each.
void fill_spreads(Tree& tree) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> told;
  for (const auto& row : tree.spreads) told.insert({row.frame, row.slot});
  for (const auto& row : tree.wait_totals) {
    const WaitTotal& total = row.metric;
    if (total.calls < 1 || total.calls > 3 || told.contains({row.frame, row.slot})) continue;
    const std::int64_t least = total.each.min_ns.value_or(0), most = total.each.max_ns.value_or(0);
    Spread spread;
    const auto count = [&](std::int64_t ns) {
      ++spread.count[log::spread_class(static_cast<std::uint64_t>(std::clamp(ns, least, std::max(least, most))))];
    };
    count(least);
    if (total.calls > 1) count(most);
    if (total.calls > 2) count(saturated_difference(saturated_difference(total.ns, least), most));
    tree.spreads.push_back({row.frame, row.slot, spread});
  }
  merge_rows(tree.spreads);
}

// Blanks and backslashes stand as \040 and the like.
std::string unescaped(std::string_view text) {
  std::string out;
  const auto digit = [&](std::size_t at, char most) { return at < text.size() && text[at] >= '0' && text[at] <= most; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && digit(i + 1, '3') && digit(i + 2, '7') && digit(i + 3, '7')) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

void add_wait_rows(const read::RawLog& log, const SideNodes& side,
                   const std::function<std::uint32_t(std::uint32_t)>& node_of, Damage& damage, Tree& tree) {
  for (const auto& record : log.waits) {
    tree.waits.push_back({node_of(record.node), record.slot, metric_of(record.words)});
  }
  for (const auto& record : log.holds) {
    tree.holds.push_back({node_of(record.node), record.slot, metric_of(record.words)});
  }
  for (const auto& [slot, use] : log.thread_uses) {
    const bool known = use.open_frame != 0 && use.open_node != 0 && use.open_node_since == use.open_since;
    if (!known) continue;
    if (use.open_node > UINT32_MAX)
      ++damage.bad_references;
    else
      tree.open_nodes.push_back({slot, node_of(static_cast<std::uint32_t>(use.open_node))});
  }
  const auto each = [&](const auto& records, log::SpecialFrame root, auto take) {
    for (const auto& record : records) {
      const auto frame = side.at(record.node, root);
      if (!frame || !take(*frame, record)) ++damage.bad_references;
    }
  };
  each(log.wait_totals, log::SpecialFrame::Waits, [&](std::uint32_t frame, const auto& record) {
    tree.wait_totals.push_back({frame, record.slot, metric_of(record.words)});
    return true;
  });
  each(log.files, log::SpecialFrame::Files, [&](std::uint32_t frame, const auto& record) {
    tree.files.push_back({frame, record.slot, metric_of(record.words)});
    return true;
  });
  each(log.locks, log::SpecialFrame::Locks, [&](std::uint32_t frame, const auto& record) {
    if (!is_lock(record.words.kind)) return false;
    tree.locks.push_back({frame, record.slot, metric_of(record.words, node_of)});
    return true;
  });
  merge_rows(tree.waits);
  merge_rows(tree.holds);
  merge_rows(tree.wait_totals);
  merge_rows(tree.files);
  merge_rows(tree.locks);
}

void settle_waits(Process& process) {
  drop_astray(process);
  tell_cpu_inside(process);
  share_blocked_time(process);
  fill_spreads(process.tree);
}

void read_mounts(std::string_view text, std::vector<Mount>& mounts) {
  const auto word = [](std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view out = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return out;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view path = word(line), type = word(line);
    if (path.empty() || type.empty()) continue;
    mounts.push_back({unescaped(path), std::string(type), unescaped(line)});
  }
}

}  // namespace prof::model
