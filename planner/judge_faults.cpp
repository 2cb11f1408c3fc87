// collio_judge_faults: says what is wrong with a text of faults on standard input, before a job starts.
// Status 1: something is.
#include <iostream>
#include <iterator>

#include "policy/hints/faults.hpp"

int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto rules = collio::policy::parse_faults(text);
  if (!rules) std::cout << rules.error().message << '\n';
  return rules ? 0 : 1;
}
