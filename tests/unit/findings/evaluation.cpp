// Which lines of a source compute without gradients.
#include "report/findings/evaluation.hpp"

#include "tests/support/catch.hpp"

using prof::findings::without_gradients;

TEST_CASE("findings: lines that compute without gradients", "[findings]") {
  const std::vector<std::string> lines{
      "@torch.no_grad()",                            // 1
      "def test(net):",                              // 2
      "    for x in data:",                          // 3
      "        net(x)",                              // 4
      "",                                            // 5
      "def fit(net):",                               // 6
      "    net.train()",                             // 7
      "    with torch.inference_mode():  # of all",  // 8
      "",                                            // 9
      "        for x in data:",                      // 10
      "            net(x)",                          // 11
      "    loss = net(x)",                           // 12
      "    with torch.no_grad(): net(x)",            // 13
      "    # with torch.no_grad():",                 // 14
      "    loss = net(x)",                           // 15
      "    with open(path):",                        // 16
      "        net(x)",                              // 17
  };
  for (const std::size_t number : {3, 4, 8, 10, 11, 13}) {
    INFO(number);
    CHECK(without_gradients(lines, number));
  }
  for (const std::size_t number : {0, 7, 12, 14, 15, 17, 18}) {
    INFO(number);
    CHECK_FALSE(without_gradients(lines, number));
  }
}
