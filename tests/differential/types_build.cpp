// Recipes as MPI datatypes, and as text.
#include <array>
#include <sstream>

#include "types.hpp"

namespace collio::differential {
namespace {

std::vector<MPI_Aint> addresses(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}
std::vector<int> integers(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

struct GridArguments {
  std::vector<int> sizes, subsizes, starts, distributions, arguments, processes;
  int total_processes = 1;
  int order = MPI_ORDER_C;
};

GridArguments grid_arguments(const TypeNode& node) {
  GridArguments out;
  out.order = node.fortran_order ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
  for (const Dimension& dimension : node.dimensions) {
    out.sizes.push_back(dimension.size);
    out.subsizes.push_back(dimension.subsize);
    out.starts.push_back(dimension.start);
    constexpr std::array kinds{MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    out.distributions.push_back(kinds[static_cast<std::size_t>(dimension.distribution)]);
    out.arguments.push_back(dimension.argument > 0 ? dimension.argument : MPI_DISTRIBUTE_DFLT_DARG);
    out.processes.push_back(dimension.processes);
    out.total_processes *= dimension.processes;
  }
  return out;
}

MPI_Datatype build(const TypeNode& node);

/// Child handles that are freed once the parent is built, as programs usually do.
class Children {
 public:
  explicit Children(const TypeNode& node) {
    for (const Type& child : node.children) {
      handles_.push_back(build(*child));
      temporary_.push_back(child->kind != Kind::basic);
    }
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (std::size_t i = 0; i < handles_.size(); ++i)
      if (temporary_[i]) MPI_Type_free(&handles_[i]);
  }
  [[nodiscard]] MPI_Datatype first() const { return handles_.empty() ? MPI_DATATYPE_NULL : handles_[0]; }
  [[nodiscard]] const MPI_Datatype* all() const { return handles_.data(); }

 private:
  std::vector<MPI_Datatype> handles_;
  std::vector<bool> temporary_;
};

MPI_Datatype build_blocks(const TypeNode& node, const Children& children) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int n = static_cast<int>(node.blocks.size());
  const auto bytes = addresses(node.displacements);
  const auto units = integers(node.displacements);
  switch (node.kind) {
    case Kind::indexed:
      MPI_Type_indexed(n, node.blocks.data(), units.data(), children.first(), &type);
      break;
    case Kind::hindexed:
      MPI_Type_create_hindexed(n, node.blocks.data(), bytes.data(), children.first(), &type);
      break;
    case Kind::indexed_block:
      MPI_Type_create_indexed_block(n, node.block, units.data(), children.first(), &type);
      break;
    case Kind::hindexed_block:
      MPI_Type_create_hindexed_block(n, node.block, bytes.data(), children.first(), &type);
      break;
    default:
      MPI_Type_create_struct(n, node.blocks.data(), bytes.data(), children.all(), &type);
      break;
  }
  return type;
}

MPI_Datatype build_array(const TypeNode& node, const Children& children) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const GridArguments a = grid_arguments(node);
  const int n = static_cast<int>(node.dimensions.size());
  if (node.kind == Kind::subarray)
    MPI_Type_create_subarray(n, a.sizes.data(), a.subsizes.data(), a.starts.data(), a.order, children.first(),
                             &type);
  else
    MPI_Type_create_darray(a.total_processes, node.darray_rank, n, a.sizes.data(), a.distributions.data(),
                           a.arguments.data(), a.processes.data(), a.order, children.first(), &type);
  return type;
}

MPI_Datatype build(const TypeNode& node) {
  if (node.kind == Kind::basic) return predefined(node.basic_index);
  const Children children(node);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (node.kind) {
    case Kind::contiguous:
      MPI_Type_contiguous(node.count, children.first(), &type);
      break;
    case Kind::vector:
      MPI_Type_vector(node.count, node.block, static_cast<int>(node.stride), children.first(), &type);
      break;
    case Kind::hvector:
      MPI_Type_create_hvector(node.count, node.block, node.stride, children.first(), &type);
      break;
    case Kind::resized:
      MPI_Type_create_resized(children.first(), node.lb, node.extent, &type);
      break;
    case Kind::dup:
      MPI_Type_dup(children.first(), &type);
      break;
    case Kind::subarray:
    case Kind::darray:
      type = build_array(node, children);
      break;
    default:
      type = build_blocks(node, children);
      break;
  }
  return type;
}

template <class T>
void print_list(std::ostream& out, const std::vector<T>& list) {
  out << '[';
  for (std::size_t i = 0; i < list.size(); ++i) out << (i ? "," : "") << list[i];
  out << ']';
}

void print_dimensions(std::ostream& out, const TypeNode& node) {
  for (const Dimension& d : node.dimensions) {
    out << d.size;
    if (node.kind == Kind::subarray) out << '@' << d.start << '+' << d.subsize;
    constexpr std::array names{"none", "block", "cyclic"};
    if (node.kind == Kind::darray)
      out << ':' << names[static_cast<std::size_t>(d.distribution)] << '(' << d.argument << ")/"
          << d.processes;
    out << ' ';
  }
  out << (node.fortran_order ? "F" : "C");
  if (node.kind == Kind::darray) out << " rank " << node.darray_rank;
}

void print(std::ostream& out, const TypeNode& node) {
  constexpr std::array names{
      "",       "contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block", "hindexed_block",
      "struct", "subarray",   "darray", "resized", "dup"};
  if (node.kind == Kind::basic) {
    out << predefined_name(node.basic_index);
    return;
  }
  out << names[static_cast<std::size_t>(node.kind)] << '(';
  switch (node.kind) {
    case Kind::contiguous:
      out << node.count;
      break;
    case Kind::vector:
    case Kind::hvector:
      out << node.count << " x " << node.block << " / " << node.stride;
      break;
    case Kind::resized:
      out << "lb " << node.lb << " extent " << node.extent;
      break;
    case Kind::dup:
      break;
    case Kind::subarray:
    case Kind::darray:
      print_dimensions(out, node);
      break;
    default:
      print_list(out, node.blocks);
      out << " at ";
      print_list(out, node.displacements);
  }
  for (const Type& child : node.children) {
    out << ", ";
    print(out, *child);
  }
  out << ')';
}

}  // namespace

MPI_Datatype predefined(int basic_index) {
  const std::array<MPI_Datatype, 9> types{MPI_BYTE,  MPI_CHAR,   MPI_SHORT,   MPI_UINT16_T,        MPI_INT,
                                          MPI_FLOAT, MPI_DOUBLE, MPI_INT64_T, MPI_C_DOUBLE_COMPLEX};
  return types[static_cast<std::size_t>(basic_index)];
}

std::string text(const Type& type) {
  std::ostringstream out;
  print(out, *type);
  return out.str();
}

BuiltType::BuiltType(const Type& type) : handle_(build(*type)), owned_(type->kind != Kind::basic) {
  if (owned_) MPI_Type_commit(&handle_);
}

BuiltType::~BuiltType() {
  if (owned_) MPI_Type_free(&handle_);
}

std::string BuiltType::disagreement(const Type& type) const {
  MPI_Aint lb = 0, extent = 0;
  int size = 0;
  MPI_Type_size(handle_, &size);
  MPI_Type_get_extent(handle_, &lb, &extent);
  const Shape& model = type->shape;
  if (size == model.size && lb == model.lb && extent == model.extent()) return {};
  std::ostringstream out;
  out << "library says size " << size << " lb " << lb << " extent " << extent << ", model says size "
      << model.size << " lb " << model.lb << " extent " << model.extent() << " for " << text(type);
  return out.str();
}

}  // namespace collio::differential
