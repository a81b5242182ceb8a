// Builds a tree for each of many documents, lays it out, and drops it.
//
// What is wrong: a node holds its parent by shared_ptr as well as its children, so parents and children keep each other
// alive: no tree is ever freed.
// First screen should say: memory grows by megabytes with each document and is never freed: nodes allocated by make_shared in
// Document::grow leak (shared_ptr cycle between Node::parent and Node::children).
// Mend: std::weak_ptr for the parent.
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Node {
  std::shared_ptr<Node> parent;  // FAULT host-memory-grows
  std::vector<std::shared_ptr<Node>> children;
  std::string text;
  float width = 0, height = 0, x = 0, y = 0;

  std::shared_ptr<Node> up() const { return parent; }
};

class Document {
 public:
  explicit Document(uint32_t seed) : state(seed) { root = grow(nullptr, 0); }

  std::shared_ptr<Node> grow(const std::shared_ptr<Node>& parent, int depth) {
    auto node = std::make_shared<Node>();  // FAULT host-memory-grows
    node->parent = parent;
    node->text.assign(40 + random() % 90, char('a' + random() % 26));  // FAULT host-memory-grows
    if (depth < 6) {
      int n = 2 + random() % 4;
      node->children.reserve(n);
      for (int i = 0; i < n; ++i) node->children.push_back(grow(node, depth + 1));
    }
    ++nodes;
    return node;
  }

  void measure(Node& node) {
    float advance = 0, lines = 1;
    for (char c : node.text) {
      advance += 5.0f + std::sqrt(float(c)) * 0.3f;
      if (advance > 240) advance = 0, ++lines;
    }
    node.width = lines > 1 ? 240 : advance;
    node.height = lines * 14;
    for (auto& child : node.children) {
      measure(*child);
      node.width = std::max(node.width, child->width + 12);
      node.height += child->height;
    }
  }

  void place(Node& node, float y) {
    auto above = node.up();
    node.x = above ? above->x + 12 : 0;
    node.y = y;
    float below = y + 14;
    for (auto& child : node.children) {
      place(*child, below);
      below += child->height;
    }
  }

  // Where the pointer would land: the deepest node at a height.
  const Node* hit(float y) const {
    const Node* node = root.get();
    for (bool deeper = true; deeper;) {
      deeper = false;
      for (auto& child : node->children)
        if (y >= child->y && y < child->y + child->height) {
          node = child.get();
          deeper = true;
          break;
        }
    }
    return node;
  }

  std::shared_ptr<Node> root;
  size_t nodes = 0;

 private:
  uint32_t random() {
    state = state * 1664525u + 1013904223u;
    return state >> 12;
  }
  uint32_t state;
};

int main() {
  size_t before = mallinfo2().uordblks + mallinfo2().hblkhd, nodes = 0;
  double height = 0, indent = 0;
  for (uint32_t number = 0; number < 480; ++number) {
    Document document(number * 977 + 1);
    for (int pass = 0; pass < 12; ++pass) {
      document.measure(*document.root);
      document.place(*document.root, float(pass));
    }
    for (int probe = 0; probe < 2000; ++probe) indent += document.hit(probe * document.root->height / 2000)->x;
    height += document.root->height;
    nodes += document.nodes;
  }
  printf("nodes %zu height %.0f indent %.0f\n", nodes, height, indent);
  printf("truth %zu bytes\n", mallinfo2().uordblks + mallinfo2().hblkhd - before);
}
