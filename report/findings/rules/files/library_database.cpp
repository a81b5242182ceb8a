// Object-relational mappers that ask the database for each object's relations by itself, and own code that does so;
// commands of Redis that are each sent by themselves.
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/library_family.hpp"
#include "report/findings/rules/shared/rows_by_key.hpp"
#include "report/findings/thresholds.hpp"

namespace prof::findings {
namespace library_database {
namespace {

// What an attribute does that is read before its relation was loaded.
constexpr fold::FunctionAt kLazyLoads[] = {{"/sqlalchemy/orm/strategies.py", "_load_for_state"},
                                           {"/django/db/models/fields/related_descriptors.py", "__get__"},
                                           {"/django/db/models/fields/related_descriptors.py", "get_object"},
                                           {"/peewee.py", "get_rel_instance"}};
// Of that, what makes objects of rows: one query of many rows is none too many.
constexpr fold::FunctionAt kMakesObjects[] = {{"/sqlalchemy/orm/loading.py", "_instance"},
                                              {"/django/db/models/base.py", "from_db"}};

bool asks_often(const Evidence& evidence, const LibrarySpent&) {
  std::int64_t all = 0, objects = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    const auto in = [&](std::span<const fold::FunctionAt> functions) {
      return below(evidence.lines(), node,
                   [&](const symbols::Function& function) { return fold::is_any(function, functions); });
    };
    if (ns <= 0 || !in(kLazyLoads)) continue;
    all = model::saturated_sum(all, ns);
    if (in(kMakesObjects)) objects = model::saturated_sum(objects, ns);
  }
  return static_cast<double>(objects) < kOfOneQuery * static_cast<double>(all);
}

constexpr LibraryFamily kRelations{.rule = "rows-one-by-one",
                                   .functions = kLazyLoads,
                                   .title = "Related rows are loaded one object at a time (N+1 queries)",
                                   .advice =
                                       "Load them with the first query: options(selectinload(...)) or joinedload() in "
                                       "SQLAlchemy, select_related() and "
                                       "prefetch_related() in Django, prefetch() in peewee.",
                                   .again = asks_often,
                                   .anywhere = true};

std::vector<Finding> look_for_rows(const Evidence& evidence) {
  std::vector<Finding> found = look_for_family(evidence, kRelations);
  return found.empty() ? rows_by_key(evidence, kRelations.rule) : found;
}

constexpr fold::FunctionAt kCommands[] = {{"/redis/client.py", "execute_command"},
                                          {"/redis/client.py", "_execute_command"}};

bool asks_for_much(const Evidence& evidence, const LibrarySpent&) {
  const std::vector<bool> inside =
      all_below(evidence.lines(), [](const symbols::Function& function) { return fold::is_any(function, kCommands); });
  std::int64_t calls = 0;
  for (std::uint32_t node = 1; node < inside.size(); ++node) {
    if (inside[node]) calls = model::saturated_sum(calls, evidence.lines().self().wait[node].calls());
  }
  return calls >= kManyCommands;
}

// What a command takes on its way, in the client and in the kernel on both sides, is most of it.
constexpr LibraryFamily kRedis{.rule = "commands-one-by-one",
                               .functions = kCommands,
                               .title = "Redis is sent one command at a time",
                               .advice =
                                   "Send many in one trip: with client.pipeline(), or commands for many keys at once "
                                   "(MGET, MSET, HSET with a mapping, ZADD with many members).",
                               .again = asks_for_much};

}  // namespace
}  // namespace library_database

const Rule kRelationsRule{library_database::kRelations.rule, "rows asked for one at a time", no_python_frames,
                          library_database::look_for_rows};

const Rule kCommandsRule{library_database::kRedis.rule, "commands of Redis sent one at a time", no_python_frames,
                         look<library_database::kRedis>};

}  // namespace prof::findings
