// See read_graph.hpp. Two steps: the text's shape is checked here, while it becomes numbers; what the numbers
// must be among themselves, in check_network(). Nothing throws: values are asked for their type before they
// are taken.
#include "machine/read_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace collio::machine {

namespace {

using nlohmann::json;

constexpr std::string_view format = "collio-machine-graph/1";

/// A value as an error shows it: short, and in one line.
std::string shown(const json& value) {
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  constexpr std::size_t longest = 40;
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/// Listens to the parser only for where it stops.
class Complaint : public nlohmann::json_sax<json> {
 public:
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t byte, const std::string&, const json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ...; last read: ..."; what was read
    // may be no text.
    const std::string_view said = error.what();
    const std::size_t begin = said.find("line "), end = said.find("; last read");
    text_ = begin < end ? std::string(said.substr(begin, end - begin)) : "byte " + std::to_string(byte);
    return false;
  }

 private:
  std::string text_ = "somewhere";
};

std::string why_not_json(std::string_view text) {
  Complaint complaint;
  json::sax_parse(text.begin(), text.end(), &complaint);
  return "not JSON: " + complaint.text();
}

/// Fills a network from a document. The first thing that is wrong is kept; after it nothing is read.
class GraphReader {
 public:
  explicit GraphReader(const json& document) : document_(document) {}

  core::Result<Network> read() {
    if (head() && nodes() && switches() && links() && next() && storage()) {
      core::Error error = check_network(network_);
      if (error.ok()) return std::move(network_);
      return error;
    }
    return core::Error{core::ErrorClass::argument, wrong_};
  }

 private:
  bool fail(std::string text) {
    wrong_ = std::move(text);
    return false;
  }
  bool fail(const std::string& place, const json* value, const char* allowed) {
    return fail(place + (value ? " is " + shown(*value) : " is missing") + "; allowed: " + allowed);
  }

  /// The member of an object, or null.
  static const json* member(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
  bool list(const char* key, const json*& found) {
    found = member(document_, key);
    return (found && found->is_array()) || fail(key, found, "an array");
  }
  /// A name may end up on a terminal.
  static bool is_printable(const std::string& text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  }
  bool name(const std::string& place, const json* value) {
    const auto* text = value ? value->get_ptr<const std::string*>() : nullptr;
    if (!text || text->empty() || !is_printable(*text)) return fail(place, value, "a name");
    network_.vertices.push_back(*text);
    return true;
  }
  /// The value as an index; nothing else than a whole number is one.
  static std::optional<std::int32_t> index_of(const json* value) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (!value || !value->is_number_integer()) return std::nullopt;
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most))
      return std::nullopt;
    const auto number = value->get<std::int64_t>();
    return number >= -most ? std::optional(static_cast<std::int32_t>(number)) : std::nullopt;
  }
  bool index(const std::string& place, const json* value, int& number) {
    const auto found = index_of(value);
    if (!found) return fail(place, value, "a whole number of 32 bits");
    number = *found;
    return true;
  }
  bool real(const std::string& place, const json* value, double& number) {
    if (!value || !value->is_number()) return fail(place, value, "a number");
    number = value->get<double>();
    return true;
  }

  bool head() {
    if (!document_.is_object()) return fail("the file is " + shown(document_) + "; allowed: an object");
    const json* said = member(document_, "format");
    if (!said || !said->is_string() || *said->get_ptr<const std::string*>() != format)
      return fail("format", said, "\"collio-machine-graph/1\"");
    const json* called = member(document_, "name");
    const auto* text = called ? called->get_ptr<const std::string*>() : nullptr;
    if (!text || !is_printable(*text)) return fail("name", called, "a string in one line");
    network_.name = *text;
    return true;
  }

  bool nodes() {
    const json* all = nullptr;
    if (!list("nodes", all)) return false;
    for (const json& node : *all) {
      const std::string place = "nodes[" + std::to_string(network_.nodes++) + "]";
      if (!node.is_object()) return fail(place, &node, "an object");
      if (!name(place + ".name", member(node, "name"))) return false;
    }
    return true;
  }

  bool switches() {
    const json* all = nullptr;
    if (!list("switches", all)) return false;
    std::size_t index = 0;
    for (const json& one : *all)
      if (!name("switches[" + std::to_string(index++) + "]", &one)) return false;
    return true;
  }

  bool links() {
    const json* all = nullptr;
    if (!list("links", all)) return false;
    for (const json& one : *all) {
      const std::string place = "links[" + std::to_string(network_.links.size()) + "]";
      if (!one.is_object()) return fail(place, &one, "an object");
      Link link;
      const json* latency = member(one, "latency_s");
      if (!index(place + ".a", member(one, "a"), link.a) || !index(place + ".b", member(one, "b"), link.b) ||
          !real(place + ".rate_bytes_per_s", member(one, "rate_bytes_per_s"), link.rate_bytes_per_s) ||
          (latency && !real(place + ".latency_s", latency, link.latency_s)))
        return false;
      network_.links.push_back(link);
    }
    return true;
  }

  bool next() {
    const json* all = nullptr;
    if (!list("next", all)) return false;
    const std::size_t vertices = network_.vertices.size();
    const auto count = static_cast<std::size_t>(network_.nodes);
    std::vector<std::int32_t> table;
    if (all->size() != vertices)
      return fail("next has " + std::to_string(all->size()) + " entries, " + std::to_string(vertices) +
                  " vertices");
    for (std::size_t v = 0; v < vertices; ++v) {
      const json& row = (*all)[v];
      const std::string place = "next[" + std::to_string(v) + "]";
      if (!row.is_array()) return fail(place, &row, "an array");
      if (row.size() != count)
        return fail(place + " has " + std::to_string(row.size()) + " entries, " + std::to_string(count) +
                    " nodes");
      for (std::size_t node = 0; node < count; ++node) {
        const auto link = index_of(&row[node]);
        if (!link)
          return fail(place + "[" + std::to_string(node) + "]", &row[node], "a whole number of 32 bits");
        table.push_back(*link);
      }
    }
    network_.next = std::move(table);
    return true;
  }

  /// Where the storage hangs; a graph need not say.
  bool storage() {
    const json* all = member(document_, "storage");
    if (!all || all->is_null()) return true;
    if (!all->is_object()) return fail("storage", all, "an object");
    if (!index("storage.attach", member(*all, "attach"), network_.storage)) return false;
    const auto vertices = static_cast<int>(network_.vertices.size());
    if (network_.storage >= 0 && network_.storage < vertices) return true;
    return fail("storage.attach", member(*all, "attach"), ("0 to " + std::to_string(vertices - 1)).c_str());
  }

  const json& document_;
  Network network_;
  std::string wrong_;
};

}  // namespace

core::Result<Network> read_graph(std::string_view text) {
  const json document = json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded()) return core::Error{core::ErrorClass::argument, why_not_json(text)};
  return GraphReader(document).read();
}

}  // namespace collio::machine
