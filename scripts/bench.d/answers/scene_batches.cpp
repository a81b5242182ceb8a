// Lights a series of generated scenes: builds each scene's node tree, places the
// nodes in the world, bakes a light map and adds it to the shared atlas.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <malloc.h>
#include <memory>
#include <string>
#include <vector>

using Matrix = std::array<float, 12>;  // three rows of a 3x4 affine transform

Matrix identity() { return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}; }

Matrix combine(const Matrix& a, const Matrix& b) {
    Matrix r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            float v = j == 3 ? a[i * 4 + 3] : 0;
            for (int k = 0; k < 3; ++k) v += a[i * 4 + k] * b[k * 4 + j];
            r[i * 4 + j] = v;
        }
    return r;
}

Matrix turned(float angle, float x, float y, float z) {
    const float c = std::cos(angle), s = std::sin(angle);
    return {c, -s, 0, x, s, c, 0, y, 0, 0, 1, z};
}

class Random {
public:
    explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1) {}
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }
    float unit() { return (next() >> 8) / 16777216.0f; }

private:
    uint32_t state_;
};

struct Node {
    std::string name;
    Matrix local = identity();
    std::vector<float> outline;
    std::shared_ptr<Node> parent;  // FAULT host-memory-grows
    std::vector<std::shared_ptr<Node>> children;

    Matrix world() const {
        Matrix m = local;
        for (const Node* n = parent.get(); n != nullptr; n = n->parent.get()) m = combine(n->local, m);
        return m;
    }
};

std::shared_ptr<Node> addChild(const std::shared_ptr<Node>& parent, std::string name) {
    auto node = std::make_shared<Node>();
    node->name = std::move(name);
    node->parent = parent;
    parent->children.push_back(node);
    return node;
}

std::shared_ptr<Node> buildScene(uint32_t seed, int buildings) {
    Random random(seed);
    auto root = std::make_shared<Node>();
    root->name = "scene" + std::to_string(seed);
    for (int b = 0; b < buildings; ++b) {
        auto building = addChild(root, "building" + std::to_string(b));
        building->local = turned(random.unit() * 6, random.unit() * 100, random.unit() * 100, 0);
        for (int f = 0; f < 6; ++f) {
            auto floor = addChild(building, "floor" + std::to_string(f));
            floor->local = turned(0.05f * f, 0, 0, 3.0f * f);
            for (int w = 0; w < 8; ++w) {
                auto window = addChild(floor, "window" + std::to_string(w));
                window->local = turned(0.78f * w, 2 + random.unit(), 1, 1);
                for (int p = 0; p < 24; ++p) window->outline.push_back(random.unit());
            }
        }
    }
    return root;
}

struct Lamp {
    float x, y, z;
};

void collectLamps(const Node& node, std::vector<Lamp>& lamps) {
    if (!node.outline.empty()) {
        const Matrix m = node.world();
        lamps.push_back({m[3], m[7], m[11]});
    }
    for (const auto& child : node.children) collectLamps(*child, lamps);
}

// Light reaching each cell of the ground from the nearest lamps.
std::vector<float> bakeLight(const std::vector<Lamp>& lamps, int side) {
    std::vector<float> light(static_cast<size_t>(side) * side, 0.0f);
    const float step = 110.0f / side;
    const int reach = static_cast<int>(6.0f / step);
    for (const Lamp& lamp : lamps) {
        const int cx = static_cast<int>((lamp.x + 5) / step), cy = static_cast<int>((lamp.y + 5) / step);
        for (int y = std::max(0, cy - reach); y < std::min(side, cy + reach); ++y)
            for (int x = std::max(0, cx - reach); x < std::min(side, cx + reach); ++x) {
                const float dx = x * step - 5 - lamp.x, dy = y * step - 5 - lamp.y;
                const float d2 = dx * dx + dy * dy + lamp.z * lamp.z + 1;
                light[static_cast<size_t>(y) * side + x] += 1.0f / (d2 * std::sqrt(d2));
            }
    }
    return light;
}

class Atlas {
public:
    void add(const std::vector<float>& light) {
        const float top = *std::max_element(light.begin(), light.end());
        std::vector<uint8_t> page(light.size());
        for (size_t i = 0; i < light.size(); ++i)
            page[i] = static_cast<uint8_t>(255 * std::pow(light[i] / top, 0.45f));
        pages_.push_back(std::move(page));
    }
    size_t bytes() const {
        size_t all = 0;
        for (const auto& page : pages_) all += page.capacity();
        return all;
    }
    double mean() const {
        double sum = 0;
        size_t count = 0;
        for (const auto& page : pages_) {
            for (uint8_t v : page) sum += v;
            count += page.size();
        }
        return sum / count;
    }

private:
    std::vector<std::vector<uint8_t>> pages_;
};

int main() {
    const auto started = std::chrono::steady_clock::now();
    const size_t before = mallinfo2().uordblks;
    Atlas atlas;
    size_t lamps = 0;
    for (uint32_t seed = 1; seed <= 105; ++seed) {
        const auto scene = buildScene(seed, 56);
        std::vector<Lamp> placed;
        collectLamps(*scene, placed);
        lamps += placed.size();
        atlas.add(bakeLight(placed, 800));
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    const size_t left = mallinfo2().uordblks - before - atlas.bytes();
    std::printf("truth %zu bytes\n", left);
    std::printf("%zu lamps, mean light %.4f, %.2f s\n", lamps, atlas.mean(), spent.count());
}
