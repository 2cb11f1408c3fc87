// Prints the table of hints: for a Python test that compares it with the one `collio run` checks values by.
#include <iostream>

#include "policy/hints/hints.hpp"

int main() {
  for (const auto& row : collio::policy::hint_table())
    std::cout << row.key << '\t' << row.default_value << '\t' << row.allowed << '\t' << row.meaning << '\n';
}
