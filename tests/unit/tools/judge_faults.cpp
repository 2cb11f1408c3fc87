// Says of every line of the input whether it is a text of faults that is allowed: for a Python test that lets
// both parsers judge.
#include <iostream>
#include <string>

#include "policy/faults.hpp"

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << (collio::policy::parse_faults(line).ok() ? "allowed" : "refused") << '\n';
}
