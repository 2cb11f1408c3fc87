// See manifest.hpp.
#include "storage/subfiles/manifest.hpp"

#include <charconv>
#include <memory>
#include <new>

#include "storage/subfile_format/manifest.h"

namespace collio::storage {

namespace {

/// Within a collective call this has a reserve, and malloc() has none.
void* allocate(std::size_t bytes) { return ::operator new(bytes, std::nothrow); }

struct Free {
  void operator()(void* memory) const { ::operator delete(memory); }
};

core::Error unusable(const std::string& path, const std::string& why) {
  return {core::ErrorClass::bad_file, path + " " + why};
}

Manifest from_format(const collio_manifest& m) {
  return {m.identity,
          m.complete != 0,
          m.base,
          m.inode,
          m.born,
          {m.layout.unit, m.layout.count, Deals(m.layout)},
          {m.folders, m.folders + m.folder_count},
          m.file_bytes,
          m.synced_bytes};
}

}  // namespace

bool operator==(const Manifest& a, const Manifest& b) { return text_of(a) == text_of(b); }

std::string name_for_set(const std::string& name) {
  constexpr std::size_t most = 231, begin = 214;  // of 255 bytes; a folder takes 24 more, a subfile 23
  if (name.size() <= most) return name;
  std::size_t cut = begin;
  while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) --cut;  // within a letter
  return name.substr(0, cut) + "~" + hex_text(collio_checksum(name.data(), name.size()));
}

std::string hex_text(std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  const std::string text(digits, end);
  return std::string(sizeof digits - text.size(), '0') + text;
}

std::string text_of(const Manifest& m) {
  std::vector<const char*> folders;
  for (const std::string& folder : m.folders) folders.push_back(folder.c_str());
  const collio_manifest manifest{
      m.identity,   m.complete,        m.base.c_str(), m.inode,
      m.born,       m.layout.format(), folders.data(), static_cast<std::int64_t>(folders.size()),
      m.file_bytes, m.synced_bytes,    nullptr};
  std::string text(collio_manifest_text(&manifest, nullptr, 0), '\0');
  collio_manifest_text(&manifest, text.data(), text.size() + 1);
  return text;
}

std::string subfile_name(const Manifest& m, std::int64_t subfile) {
  char ending[collio_ending_bytes];
  collio_subfile_ending(m.identity, subfile, ending);
  return m.base + ending;
}

core::Result<Manifest> parse_manifest(std::string_view text, const std::string& path) {
  collio_manifest found;
  const collio_read how = collio_read_manifest(text.data(), text.size(), allocate, &found);
  const std::unique_ptr<void, Free> memory(found.memory);
  switch (how) {
    case collio_read_good:
      return from_format(found);
    case collio_read_foreign:
      return unusable(path, "is no manifest of collio's subfiles, or is damaged");
    case collio_read_version:
      return unusable(path, "is a manifest of another version; this collio reads versions 1 and 2");
    case collio_read_damaged:
      return unusable(path, "is damaged: its checksum does not match its content");
    case collio_read_no_memory:
      break;
  }
  throw std::bad_alloc();
}

std::string Placeholder::head() const {
  collio_placeholder placeholder{identity, {}};
  folder.copy(placeholder.folder, NAME_MAX);
  char head[collio_head_bytes];
  return {head, collio_placeholder_head(&placeholder, head)};
}

std::string Placeholder::text() const { return head() + COLLIO_PLACEHOLDER_WORDS; }

core::Result<std::optional<Placeholder>> parse_placeholder(std::string_view begin, const std::string& path) {
  collio_placeholder found;
  switch (collio_read_placeholder(begin.data(), begin.size(), &found)) {
    case collio_read_good:
      return std::optional(Placeholder{found.identity, found.folder});
    case collio_read_foreign:
      return std::optional<Placeholder>();
    case collio_read_version:
      return unusable(path, "is a placeholder of another version; this collio reads version 1");
    default:
      return unusable(path, "is a placeholder of collio's subfiles whose first lines are damaged");
  }
}

}  // namespace collio::storage
