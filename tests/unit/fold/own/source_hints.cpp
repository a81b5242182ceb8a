#include "report/fold/own/source_hints.hpp"

#include "tests/support/catch.hpp"

using prof::fold::activity_of_source;

TEST_CASE("source hints: each kind of call", "[fold]") {
  const auto [line, activity] = GENERATE(table<const char*, const char*>({
      {"    gc.collect()", "garbage collector"},
      {"    if pattern.match(text):", "regular expressions"},
      {"    if re.fullmatch(r'a+', text):", "regular expressions"},
      {"    m = self.pattern.search(text)", "regular expressions"},
      {"    for word in WORDS.findall(text):", "regular expressions"},
      {"    return [m[0] for m in re.finditer(p, text)]", "regular expressions"},
      {"    text, n = re.subn(p, '', text)", "regular expressions"},
      {"    text = re.sub(p, '', text)", "regular expressions"},
      {"    for x in sorted(items):", "sorting"},
      {"    items.sort(key=len)", "sorting"},
      {"    data = pickle.dumps(x)", "pickling"},
      {"    data = pickle.loads(x)", "pickling"},
      {"    pickle.dump(x, file)", "pickling"},
      {"    x = pickle.load(file)", "pickling"},
      {"sorted(sorted(x))", "sorting"},
      {"if a.match(x) or b.search(x):", "regular expressions"},
  }));
  INFO(line);
  CHECK(activity_of_source(line) == activity);
}

// Catches hints that fit some other word, text, or nothing at all.
TEST_CASE("source hints: lines that ask for nothing, or for several things", "[fold]") {
  for (const char* line : {
           "",
           "x = y + 1",
           "# sorted(x)",
           "x += 1  # items.sort()",
           "print('sorted(x)')",
           "print(\"it's .match(x)\")",
           "print('don\\'t .match(x)')",
           "resorted(x)",
           "self.sorted(x)",
           "my_sorted(x)",
           "x.resort(",
           "x.match = 1",
           "x.sorted",
           "mypickle.load(x)",
           "gc.collected(x)",
           "json.loads(x)",
           "re.substitute(x)",
           "for x in sorted(p.findall(text)):",
           "items.sort(key=pickle.dumps(x))",
       }) {
    INFO(line);
    CHECK(activity_of_source(line).empty());
  }
}

TEST_CASE("source hints: code beside a string or a comment counts", "[fold]") {
  CHECK(activity_of_source("x = sorted(y)  # not re.sub(") == "sorting");
  CHECK(activity_of_source("x = pattern.sub('sorted(', y)") == "regular expressions");
  CHECK(activity_of_source("x = '#' + str(sorted(y))") == "sorting");
  CHECK(activity_of_source("x = 'a' and p.match('b')") == "regular expressions");
}

// Catches a guess that is told as known: the sum takes the time, and the list has two elements.
TEST_CASE("a line that calls more than one thing is not told by one of them", "[fold]") {
  CHECK(activity_of_source("t += sum(range(40_000_000)) + len(sorted(names))").empty());
  CHECK(activity_of_source("if pattern.match(line.strip()):") == "regular expressions");
  CHECK(activity_of_source("rows.sort(key=lambda r: compute(r))").empty());
}
