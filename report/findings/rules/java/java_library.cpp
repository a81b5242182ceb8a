// What Java's own classes do for lines of the program's, where another class or another way is known to be faster.
#include <optional>
#include <string>
#include <string_view>

#include "report/findings/below_own.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/native_family.hpp"
#include "report/findings/source_words.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace java_library {
namespace {

constexpr std::string_view kSearches[] = {
    "java.util.ArrayList.indexOf",  "java.util.ArrayList.contains",
    "java.util.LinkedList.indexOf", "java.util.ImmutableCollections$ListN.indexOf",
    "java.util.Arrays$ArrayList.",  "java.util.concurrent.CopyOnWriteArrayList.indexOf",
    "java.util.Vector.indexOf",     "java.util.AbstractList.indexOf"};
constexpr Family kListSearches{"java-list-searches",
                               kSearches,
                               {},
                               {},
                               "Lists are searched from their beginning again and again",
                               "Keep what is looked for in a HashSet, or in a HashMap by its key, in place of the list "
                               "or beside it; for a few fixed names Set.of().",
                               kListWork};

// Elements are moved by System.arraycopy, which the compilers replace by a stub of their own.
constexpr std::string_view kShifts[] = {"java.util.ArrayList.fastRemove", "java.util.ArrayList.remove",
                                        "java.util.ArrayList.add", "java.util.Vector.remove",
                                        "java.util.Vector.insertElementAt"};
constexpr std::string_view kMoves[] = {"(Java stub ", "java.lang.System.arraycopy", "JVM_ArrayCopy",
                                       "java.util.ArrayList.fastRemove"};
constexpr Family kListShifts{"java-list-shifts",
                             kShifts,
                             kMoves,
                             {},
                             "All elements of a list are moved for each that comes or goes",
                             "An ArrayDeque takes and gives at both ends; or take from the end of the ArrayList; "
                             "removeIf() takes out many at once.",
                             kMostlyOneThing};

constexpr std::string_view kPositions[] = {"java.util.LinkedList.node"};
constexpr Family kListPositions{"java-list-positions",
                                kPositions,
                                {},
                                {},
                                "A LinkedList is walked from its end to each position",
                                "get(i) follows the links one by one: take an ArrayList, or go through the list by "
                                "its iterator (for (var x : list)).",
                                kMostlyOneThing};

// These keep no count: they walk along all that is in them.
constexpr std::string_view kSizes[] = {"java.util.concurrent.ConcurrentLinkedQueue.size",
                                       "java.util.concurrent.ConcurrentLinkedDeque.size"};
constexpr Family kQueueSizes{"java-queue-sizes",
                             kSizes,
                             {},
                             {},
                             "A concurrent queue is walked from end to end for its size",
                             "Count in an AtomicInteger or LongAdder beside it, ask isEmpty(), or take a queue with a "
                             "bound (ArrayBlockingQueue, LinkedBlockingQueue), which counts.",
                             kMostlyOneThing};

constexpr std::string_view kCompiles[] = {"java.util.regex.Pattern.compile", "java.util.regex.Pattern.<init>"};
constexpr Family kPatterns{"java-patterns",
                           kCompiles,
                           {},
                           {},
                           "Regular expressions are compiled again and again",
                           "Compile each once (static final Pattern) and use matcher(text): String.matches(), "
                           "replaceAll() and split() compile theirs at each call."};

// What the line does with the pattern is done in any case.
std::vector<Finding> look_for_patterns(const Evidence& evidence) {
  const std::vector<bool> compiles = below_own(evidence, is_called<kCompiles>);
  return tell_of(evidence, kPatterns, cpu_at(evidence, [&](std::uint32_t node) { return compiles[node]; }));
}

constexpr std::string_view kFormats[] = {"java.util.Formatter."};
constexpr Family kFormatters{"java-formats",
                             kFormats,
                             {},
                             {},
                             "Text is formatted by patterns that are read anew each time",
                             "String.format() reads its pattern at each call: append to a StringBuilder, or join with "
                             "+, where the form is a simple one; keep a DecimalFormat or a DateTimeFormatter.",
                             kOfWork};

constexpr std::string_view kThrows[] = {"java.lang.Throwable.fillInStackTrace"};
constexpr Family kExceptions{"java-exceptions",
                             kThrows,
                             {},
                             {},
                             "Exceptions are made again and again, each with the stack of its place",
                             "Ask before (is the text a number?), or return what is ordinary (OptionalInt, null); an "
                             "exception of one's own can do without its stack (writableStackTrace = false)."};

constexpr std::string_view kTrees[] = {"java.util.HashMap$TreeNode.find", "java.util.HashMap$TreeNode.putTreeVal",
                                       "java.util.HashMap$TreeNode.getTreeNode",
                                       "java.util.HashMap$TreeNode.balanceInsertion",
                                       "java.util.HashMap$TreeNode.treeify"};
constexpr Family kEqualHashes{"java-equal-hashes",
                              kTrees,
                              {},
                              {},
                              "Many keys of a HashMap have the same hash",
                              "hashCode() of the key has to spread: Objects.hash(x, y), 31 * x + y, or a record, which "
                              "has a good one of its own."};

constexpr std::string_view kDates[] = {"java.text.SimpleDateFormat.<init>",
                                       "java.time.format.DateTimeFormatter.ofPattern",
                                       "java.time.format.DateTimeFormatterBuilder.appendPattern"};
constexpr Family kDateFormats{"java-date-formats",
                              kDates,
                              {},
                              {},
                              "Formats of dates are made again and again",
                              "Make each DateTimeFormatter once (static final): it may be used by all threads, which a "
                              "SimpleDateFormat may not."};

constexpr std::string_view kMembers[] = {"java.lang.Class.getMethod",      "java.lang.Class.getDeclaredMethod",
                                         "java.lang.Class.getField",       "java.lang.Class.getDeclaredField",
                                         "java.lang.Class.getConstructor", "java.lang.Class.forName"};
constexpr Family kReflection{"java-reflection",
                             kMembers,
                             {},
                             {},
                             "Classes are asked for their members again and again",
                             "Keep the Method, Field or Constructor that was found, or a MethodHandle, which is called "
                             "faster."};

constexpr std::string_view kJoins[] = {"java.lang.StringConcatHelper.", "java.lang.StringBuilder.",
                                       "java.lang.AbstractStringBuilder.", "java.lang.invoke."};
constexpr Family kStringSums{"java-string-sums",
                             kJoins,
                             {},
                             {},
                             "A text is copied whole for each piece that is added to it",
                             "Append to one StringBuilder in the loop, and make the text of it at the end; or collect "
                             "the pieces and String.join() them.",
                             kMostlyOneThing};

// `text += piece;`, which makes a new text.
bool adds_to_itself(const std::string& line) {
  const std::string_view code = code_of(line, "//");
  return code.find("+=") != std::string_view::npos;
}

bool has_call(std::string_view code, std::string_view name) {
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    if (at + name.size() < code.size() && code[at + name.size()] == '(') return true;
  }
  return false;
}

// Whether the line is run again and again within its method, by a loop around it or because the method calls itself.
// `number`: from 1.
bool again_in_method(const Lines& lines, std::size_t number, std::string_view method) {
  const std::string_view name = method.substr(method.rfind('.') + 1);
  std::size_t indent = indent_of(lines[number - 1]);
  if (has_call(code_of(lines[number - 1], "//"), name)) return true;
  for (std::size_t i = number - 1; i-- > 0 && indent > 0;) {
    const std::string_view code = code_of(lines[i], "//");
    const std::size_t its = indent_of(code);
    if (its >= code.size()) continue;
    if (its < indent) {
      indent = its;
      const std::string_view head = code.substr(its);
      if (head.starts_with("for ") || head.starts_with("for(") || head.starts_with("while ") ||
          head.starts_with("while(") || head.starts_with("do ") || head.find("forEach(") != std::string_view::npos)
        return true;
      if (has_call(head, name)) break;  // its declaration
    } else if (has_call(code, name)) {
      return true;
    }
  }
  for (std::size_t i = number; i < lines.size() && indent_of(lines[i]) > indent; ++i) {
    if (has_call(code_of(lines[i], "//"), name)) return true;
  }
  return false;
}

std::vector<Finding> look_for_sums(const Evidence& evidence) {
  const std::vector<bool> joins = below_own(evidence, is_called<kJoins>);
  symbols::SourceFiles& files = evidence.sources();
  const auto is = [&](std::uint32_t node) {
    if (!joins[node]) return false;
    const std::optional<Place> place = evidence.own_place(node);
    if (!place || place->line <= 0) return false;
    const Lines& lines = files.file(place->file).lines;
    const auto number = static_cast<std::size_t>(place->line);
    return number <= lines.size() && adds_to_itself(lines[number - 1]) &&
           again_in_method(lines, number, place->function);
  };
  return tell_of(evidence, kStringSums, cpu_at(evidence, is));
}

constexpr std::string_view kSorts[] = {"java.util.ArrayList.sort", "java.util.Collections.sort",
                                       "java.util.List.sort",      "java.util.Arrays.sort",
                                       "java.util.TimSort.",       "java.util.ComparableTimSort."};
constexpr std::string_view kOrders[] = {"java.util.TimSort.countRunAndMakeAscending",
                                        "java.util.ComparableTimSort.countRunAndMakeAscending"};
constexpr Family kSortedAgain{
    "java-sorts",
    kSorts,
    {},
    {},
    "Lists that are in order, or nearly, are sorted again and again",
    "Put each new element where it belongs (Collections.binarySearch, then add(i, x)), or keep "
    "them in a TreeSet or a PriorityQueue; sort once, when all are there.",
    kMostlyOneThing};

// A sort finds out first how far the elements are in order: of random ones that takes little of it.
std::vector<Finding> look_for_sorts(const Evidence& evidence) {
  const std::vector<bool> sorts = below_own(evidence, is_called<kSorts>),
                          orders = below_own(evidence, is_called<kSorts>, is_called<kOrders>);
  const CpuAt all = cpu_at(evidence, [&](std::uint32_t node) { return sorts[node]; }),
              in_order = cpu_at(evidence, [&](std::uint32_t node) { return orders[node]; });
  return real(in_order.ns) < kInOrder * real(all.ns) ? std::vector<Finding>() : tell_of(evidence, kSortedAgain, all);
}

const char* cannot(const Evidence& evidence) {
  const auto& functions = evidence.symbols();
  for (std::uint32_t id = 0; id < functions.function_count(); ++id) {
    if (functions.function(id).module == symbols::kMadeByJava) return nullptr;
  }
  return "no methods of Java were seen";
}

}  // namespace
}  // namespace java_library

#define PROF_JAVA_RULE(its, family, words) \
  const Rule its{java_library::family.rule, words, java_library::cannot, look_for_family<java_library::family>};
PROF_JAVA_RULE(kJavaListSearchesRule, kListSearches, "lists of Java that are searched")
PROF_JAVA_RULE(kJavaListShiftsRule, kListShifts, "lists of Java whose elements are moved")
PROF_JAVA_RULE(kJavaListPositionsRule, kListPositions, "positions of linked lists")
PROF_JAVA_RULE(kJavaQueueSizesRule, kQueueSizes, "sizes of concurrent queues")
PROF_JAVA_RULE(kJavaFormatsRule, kFormatters, "texts that Java formats")
PROF_JAVA_RULE(kJavaExceptionsRule, kExceptions, "exceptions of Java")
PROF_JAVA_RULE(kJavaEqualHashesRule, kEqualHashes, "keys of Java with the same hash")
PROF_JAVA_RULE(kJavaDateFormatsRule, kDateFormats, "formats of dates that are made again")
PROF_JAVA_RULE(kJavaReflectionRule, kReflection, "members of classes that are looked up again")
#undef PROF_JAVA_RULE
const Rule kJavaPatternsRule{"java-patterns", "patterns of Java that are compiled again", java_library::cannot,
                             java_library::look_for_patterns};
const Rule kJavaSortsRule{"java-sorts", "lists of Java that are sorted again", java_library::cannot,
                          java_library::look_for_sorts};
const Rule kJavaStringSumsRule{"java-string-sums", "texts of Java that are added up", java_library::cannot,
                               java_library::look_for_sums};

}  // namespace prof::findings
