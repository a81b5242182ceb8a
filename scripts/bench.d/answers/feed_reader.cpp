// Crawler stage: parses small XML pages into a tree, collects links and titles into an index, drops the tree.
//
// What is wrong: a Node holds its children and its parent by shared_ptr. Parent and child keep each
//   other alive, so no tree is ever freed: memory grows with each page although every page is "dropped".
// First screen should say: memory grows steadily all through the run and is never given back; it is
//   allocated in parse() (make_shared<Node> and the strings in the nodes); cause: cycle of shared_ptr
//   through Node::parent; amount: the bytes printed as "truth".
// Mend: std::weak_ptr (or a raw pointer) for Node::parent.
#include <chrono>
#include <cstdio>
#include <malloc.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;
static double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

struct Node {
    std::string tag;
    std::string text;
    std::vector<std::pair<std::string, std::string>> attrs;
    std::vector<std::shared_ptr<Node>> children;
    std::shared_ptr<Node> parent;  // FAULT host-memory-grows
};
using NodePtr = std::shared_ptr<Node>;

// Writes one page as a server would send it.
class PageMaker {
public:
    std::string next(int page) {
        std::string s = "<html><head><title>Page " + std::to_string(page) + "</title></head><body>";
        for (int i = 0; i < 25; ++i) {
            s += "<div class=\"post card\"><h2>Headline number " + std::to_string(rng_() % 100000) + " of the day</h2><p>";
            for (int w = 0; w < 12; ++w) s += words_[rng_() % 8], s += ' ';
            s += "</p><a href=\"/item/" + std::to_string(rng_() % 2000000) + "/details.html\">read more</a></div>";
        }
        return s + "</body></html>";
    }
private:
    std::mt19937 rng_{3};
    const char* words_[8] = {"profile", "measure", "render", "latency", "garden", "winter", "engine", "council"};
};

static NodePtr parse(const std::string& s) {
    NodePtr root = std::make_shared<Node>(), cur = root;
    std::size_t i = 0;
    while (i < s.size()) {
        if (s[i] != '<') {
            std::size_t e = s.find('<', i);
            cur->text.append(s, i, e - i);
            i = e;
        } else if (s[i + 1] == '/') {
            cur = cur->parent;
            i = s.find('>', i) + 1;
        } else {
            NodePtr n = std::make_shared<Node>();
            std::size_t e = s.find('>', i), sp = std::min(s.find(' ', i), e);
            n->tag.assign(s, i + 1, sp - i - 1);
            while (sp < e) {
                std::size_t eq = s.find('=', sp), q = s.find('"', eq + 2);
                n->attrs.emplace_back(s.substr(sp + 1, eq - sp - 1), s.substr(eq + 2, q - eq - 2));
                sp = q + 1;
            }
            n->parent = cur;
            cur->children.push_back(n);
            cur = std::move(n);
            i = e + 1;
        }
    }
    return root;
}

class Index {
public:
    void add(const NodePtr& n) {
        if (n->tag == "a")
            for (auto& a : n->attrs)
                if (a.first == "href") ++links_[a.second];
        if (n->tag == "title" || n->tag == "h2") titles_.push_back(n->text);
        ++tags_[n->tag];
        for (auto& c : n->children) add(c);
    }
    void report() const {
        std::size_t twice = 0;
        for (auto& l : links_) twice += l.second > 1;
        std::printf("%zu titles, %zu links (%zu more than once)\n", titles_.size(), links_.size(), twice);
        for (auto& t : tags_) std::printf("  %-6s %ld\n", t.first.c_str(), t.second);
    }
    void clear() { links_.clear(); titles_.clear(); titles_.shrink_to_fit(); }
private:
    std::unordered_map<std::string, int> links_;
    std::vector<std::string> titles_;
    std::map<std::string, long> tags_;
};

int main() {
    auto start = Clock::now();
    std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    PageMaker maker;
    Index index;
    for (int page = 0; page < 26000; ++page) {
        NodePtr doc = parse(maker.next(page));
        index.add(doc);
    }
    index.report();
    std::size_t with_index = mallinfo2().uordblks + mallinfo2().hblkhd;
    index.clear();
    std::size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    std::printf("in use at the end: %zu bytes, of it index %zu\n", with_index, with_index - after);
    std::printf("total %.2f\ntruth %zu bytes\n", since(start), after > before ? after - before : 0);
}
