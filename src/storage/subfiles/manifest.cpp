// See manifest.hpp.
#include "storage/subfiles/manifest.hpp"

#include <algorithm>
#include <charconv>

namespace collio::storage {

namespace {

constexpr std::string_view first_line = "collio subfiles 1\n";
constexpr std::string_view first_line_with_deals = "collio subfiles 2\n";
constexpr std::string_view any_version = "collio subfiles ";
constexpr std::string_view placeholder_line = "collio placeholder 1 ";
constexpr std::string_view any_placeholder = "collio placeholder ";
constexpr std::int64_t most_subfiles = 65535;
constexpr std::size_t most_deals = 1000;

/// FNV-1a, 64 bits (draft-eastlake-fnv): each step is one to one, so one changed byte always changes the sum.
std::uint64_t checksum(std::string_view text) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return sum;
}

/// Without line ends and other control characters: %XX instead.
std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '%')
      safe += c;
    else
      (safe += '%').append({digits[byte >> 4], digits[byte & 15]});
  }
  return safe;
}

template <class Number>
bool read_number(std::string_view text, Number& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

bool unescape(std::string_view safe, std::string& text) {
  text.clear();
  for (std::size_t i = 0; i < safe.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(safe[i]);
    if (safe[i] == '%') {
      if (i + 2 >= safe.size() || !read_number(safe.substr(i + 1, 2), byte, 16)) return false;
      i += 2;
    }
    text += static_cast<char>(byte);
  }
  return true;
}

/// Takes "KEY VALUE\n" off the front of a text.
class Lines {
 public:
  explicit Lines(std::string_view text) : left_(text) {}

  [[nodiscard]] bool next_is(std::string_view key) const {
    return left_.starts_with(key) && left_.substr(key.size()).starts_with(' ');
  }
  /// The value; empty, and not good() from now on: the next line is another.
  std::string_view value(std::string_view key) {
    const std::size_t end = left_.find('\n');
    good_ = good_ && next_is(key) && end != std::string_view::npos;
    if (!good_) return {};
    const std::string_view value = left_.substr(key.size() + 1, end - key.size() - 1);
    left_.remove_prefix(end + 1);
    return value;
  }
  std::int64_t number(std::string_view key) {
    std::int64_t n = 0;
    good_ = read_number(value(key), n, 10) && n >= 0 && good_;
    return n;
  }
  std::uint64_t hex(std::string_view key) {
    std::uint64_t n = 0;
    good_ = read_number(value(key), n, 16) && good_;
    return n;
  }
  std::string text(std::string_view key) {
    std::string plain;
    good_ = unescape(value(key), plain) && good_;
    return plain;
  }
  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] bool at_end() const noexcept { return left_.empty(); }

 private:
  std::string_view left_;
  bool good_ = true;
};

/// "FIRST MEMBER MEMBER..."
bool read_deal(std::string_view text, Deal& deal) {
  bool is_first = true, good = true;
  while (good && !text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::int64_t number = 0;
    good = read_number(text.substr(0, end), number, 10);
    if (is_first)
      deal.first = number;
    else
      deal.members.push_back(number);
    is_first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return good;
}

std::string text_of(const Deal& deal) {
  std::string text = "deal " + std::to_string(deal.first);
  for (const std::int64_t member : deal.members) text += ' ' + std::to_string(member);
  return text + '\n';
}

core::Error unusable(const std::string& path, const std::string& why) {
  return {core::ErrorClass::bad_file, path + " " + why};
}

bool is_name(const std::string& text) {
  return !text.empty() && text != "." && text != ".." && text.find('/') == std::string::npos;
}

/// Ascending, and of subfiles that there are.
bool allowed(const SubfileLayout& layout) {
  if (layout.deals.size() > most_deals) return false;
  std::int64_t before = 0;
  for (const Deal& deal : layout.deals) {
    if (deal.first <= before || deal.members.empty()) return false;
    before = deal.first;
    std::int64_t least = 0;
    for (const std::int64_t member : deal.members) {
      if (member < least || member >= layout.count) return false;
      least = member + 1;
    }
  }
  return true;
}

bool allowed(const Manifest& m) {
  return is_name(m.base) && m.layout.unit_bytes > 0 && m.layout.unit_bytes <= (std::int64_t{1} << 40) &&
         m.layout.count > 0 && m.layout.count <= most_subfiles && !m.folders.empty() &&
         m.synced_bytes <= m.file_bytes && allowed(m.layout);
}

}  // namespace

bool operator==(const Manifest& a, const Manifest& b) { return text_of(a) == text_of(b); }

std::string name_for_set(const std::string& name) {
  constexpr std::size_t most = 231, begin = 214;  // of 255 bytes; a folder takes 24 more, a subfile 23
  if (name.size() <= most) return name;
  std::size_t cut = begin;
  while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) --cut;  // within a letter
  return name.substr(0, cut) + "~" + hex_text(checksum(name));
}

std::string hex_text(std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  const std::string text(digits, end);
  return std::string(sizeof digits - text.size(), '0') + text;
}

std::string text_of(const Manifest& m) {
  std::string text(m.layout.deals.empty() ? first_line : first_line_with_deals);
  text += "identity " + hex_text(m.identity) + '\n';
  text += std::string("state ") + (m.complete ? "complete" : "writing") + '\n';
  text += "base " + escaped(m.base) + '\n';
  text += "inode " + hex_text(m.inode) + '\n';
  text += "born " + std::to_string(m.born) + '\n';
  text += "unit " + std::to_string(m.layout.unit_bytes) + '\n';
  text += "subfiles " + std::to_string(m.layout.count) + '\n';
  for (const std::string& folder : m.folders) text += "folder " + escaped(folder) + '\n';
  for (const Deal& deal : m.layout.deals) text += text_of(deal);
  text += "bytes " + std::to_string(m.file_bytes) + '\n';
  text += "synced " + std::to_string(m.synced_bytes) + '\n';
  return text + "checksum " + hex_text(checksum(text)) + '\n';
}

core::Result<Manifest> parse_manifest(std::string_view text, const std::string& path) {
  if (!text.starts_with(any_version))
    return unusable(path, "is no manifest of collio's subfiles, or is damaged");
  if (!text.starts_with(first_line) && !text.starts_with(first_line_with_deals))
    return unusable(path, "is a manifest of another version; this collio reads versions 1 and 2");
  Lines lines(text.substr(first_line.size()));
  Manifest m;
  m.identity = lines.hex("identity");
  m.complete = lines.value("state") == "complete";
  m.base = lines.text("base");
  m.inode = lines.hex("inode");
  m.born = lines.number("born");
  m.layout.unit_bytes = lines.number("unit");
  m.layout.count = lines.number("subfiles");
  m.folders.clear();
  while (lines.good() && lines.next_is("folder")) m.folders.push_back(lines.text("folder"));
  bool good = true;
  while (lines.good() && lines.next_is("deal"))
    good = read_deal(lines.value("deal"), m.layout.deals.emplace_back()) && good;
  m.file_bytes = lines.number("bytes");
  m.synced_bytes = lines.number("synced");
  lines.value("checksum");
  if (!good || !lines.good() || !lines.at_end() || !allowed(m) || text_of(m) != text)
    return unusable(path, "is damaged: its checksum does not match its content");
  return m;
}

std::string Placeholder::head() const {
  return std::string(placeholder_line) + hex_text(identity) + '\n' + "folder " + escaped(folder) + '\n';
}

std::string Placeholder::text() const {
  return head() +
         "collio keeps the bytes of this file in several subfiles; the manifest in the folder above says "
         "where.\n"
         "Programs under `collio run` read and write them as this file. `collio join FILE` makes it one file "
         "again.\n";
}

core::Result<std::optional<Placeholder>> parse_placeholder(std::string_view begin, const std::string& path) {
  if (!begin.starts_with(any_placeholder)) return std::optional<Placeholder>();
  if (!begin.starts_with(placeholder_line))
    return unusable(path, "is a placeholder of another version; this collio reads version 1");
  const std::size_t first = begin.find('\n');
  const std::size_t end = first == std::string_view::npos ? first : begin.find('\n', first + 1);
  Placeholder found;
  if (end != std::string_view::npos) {
    Lines lines(begin.substr(first + 1, end - first));
    found.folder = lines.text("folder");
    const std::string_view digits = begin.substr(placeholder_line.size(), first - placeholder_line.size());
    if (read_number(digits, found.identity, 16) && is_name(found.folder) && begin.starts_with(found.head()))
      return std::optional(found);
  }
  return unusable(path, "is a placeholder of collio's subfiles whose first lines are damaged");
}

}  // namespace collio::storage
