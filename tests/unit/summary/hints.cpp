// What may help with work that as such is no fault, by what the line spends its time in and by its text.
#include "report/summary/hints.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace prof;

namespace {

std::string hint(const char* activity, const char* source, bool python = true) {
  return std::string(show::hint_for(activity, source, python));
}

bool helps(const char* activity, const char* source, const char* part) {
  return hint(activity, source).find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("hints: by the text of the line") {
  CHECK(helps("csv", "dialect = csv.Sniffer().sniff(f.read())", "a part of the text"));
  CHECK(helps("csv", "rows = list(csv.reader(f))", "read_csv"));
  CHECK(helps("zipfile", "    z = zipfile.ZipFile(ARCHIVE)", "once"));
  CHECK(hint("zipfile", "with zipfile.ZipFile(ARCHIVE, \"w\") as z:").empty());
  CHECK(helps("xml", "found = root.find(f\".//customer[@id='{number}']\")", "a dict"));
  CHECK(helps("xml", "for item in root.findall('.//item'):", "iterparse"));
  CHECK(helps("SQLite", "db.execute(\"delete from orders where day < ?\", (day,))", "refers to the deleted rows"));
  CHECK(helps("SQLite", "db.execute(query)", "EXPLAIN"));
  CHECK(helps("pandas", "rows = stock.loc[(shop, article)]", "sort_index()"));
  CHECK_FALSE(helps("pandas", "rows = df.loc[(df.a > 1) & mask]", "sort_index()"));
  CHECK_FALSE(helps("pandas", "rows = df.loc[(a == 1), 'b']", "sort_index()"));
  CHECK(helps("_ctypes", "a = (ctypes.c_double * len(rows))(*rows)", "array.array"));
  CHECK(hint("_ctypes", "lib.compute(a)").empty());
  CHECK(helps("decimal", "x = a * b / 12", "getcontext().prec"));
}

TEST_CASE("hints: a name that is looked for in a listing") {
  CHECK(helps("interpreter", "return name in os.listdir(FOLDER)", "os.path.exists()"));
  CHECK(helps("waiting: file", "if name not in os.listdir(FOLDER):", "os.path.exists()"));
  CHECK(hint("interpreter", "for name in os.listdir(FOLDER):").empty());
  CHECK(hint("interpreter", "names = [name for name in os.listdir(FOLDER)]").empty());
}

// Catches advice about a search given to a line that writes, and about text where there are numbers.
TEST_CASE("hints: none that is beside the point") {
  CHECK(hint("SQLite", "db.executemany(\"INSERT INTO m VALUES (?)\", rows)").empty());
  CHECK_FALSE(helps("pandas", "rank = df.groupby('m')['v'].rank()", "text"));
  CHECK(hint("something", "f()").empty());
  CHECK(helps("csv", "", "read_csv"));
}

// Catches words of Python's library about a line of another language.
TEST_CASE("hints: in the words of the line's language") {
  CHECK(hint("sorting", "std::sort(a.begin(), a.end());", false).find("only a part") != std::string::npos);
  CHECK(hint("sorting", "a.sort()").find("bisect") != std::string::npos);
  CHECK(hint("lists", "", false).empty());
  CHECK(hint("std::map", "", false) == hint("std::map", ""));
}
