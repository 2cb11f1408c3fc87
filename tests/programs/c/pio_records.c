/* Records, frames and decompositions that come and go: pio_records FOLDER
   Ends with the number of things that are wrong. */
#include <malloc.h>
#include <pio.h>
#include <unistd.h>

enum { cells = 8, many_cells = 4096 };

static int rank, size, wrong, layout, type = PIO_IOTYPE_PNETCDF;
static double data[cells];

static void is(const char* what, long long found, long long expected) {
  if (found == expected) return;
  ++wrong;
  fprintf(stderr, "rank %d: %s: %lld, expected %lld; %s\n", rank, what, found, expected,
          collio_pio_error_text());
}

static int layout_of(int system_id, int number_type, int count) {
  int made, shape = count * size;
  PIO_Offset map[many_cells];
  for (int i = 0; i < count; ++i) map[i] = (PIO_Offset)rank * count + count - i;
  is("map", PIOc_InitDecomp(system_id, number_type, 1, &shape, count, map, &made, NULL, NULL, NULL), 0);
  return made;
}

/* A system whose files meet these faults; null: none. */
static int system_with(const char* faults) {
  int made;
  is("system", PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &made), 0);
  if (faults) is("hint", PIOc_set_hint(made, "collio_faults", faults), 0);
  layout = layout_of(made, PIO_DOUBLE, cells);
  return made;
}

static int create(int system_id, const char* path, int number_type, int* fixed, int* records) {
  int file, dims[2];
  is("create", PIOc_createfile(system_id, &file, &type, path, PIO_CLOBBER), 0);
  is("time", PIOc_def_dim(file, "time", PIO_UNLIMITED, &dims[0]), 0);
  is("cell", PIOc_def_dim(file, "cell", cells * size, &dims[1]), 0);
  is("fixed", PIOc_def_var(file, "fixed", number_type, 1, &dims[1], fixed), 0);
  is("records", PIOc_def_var(file, "records", number_type, 2, dims, records), 0);
  is("enddef", PIOc_enddef(file), 0);
  return file;
}

static int write_record(int file, int variable, int frame, double base) {
  for (int i = 0; i < cells; ++i) data[i] = base + rank * cells + i;
  is("frame", PIOc_setframe(file, variable, frame), 0);
  return PIOc_write_darray(file, variable, layout, cells, data, NULL);
}

static void has(const char* what, int file, int variable, double base) {
  double read[cells];
  is(what, PIOc_read_darray(file, variable, layout, cells, read), 0);
  for (int i = 0; i < cells; ++i) is(what, (long long)read[i], (long long)base + rank * cells + i);
}

static PIO_Offset records_of(const char* path) {
  PIO_Offset found = -1;
  int file, system_id;
  is("system", PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system_id), 0);
  is("open", PIOc_openfile(system_id, &file, &type, path, PIO_NOWRITE), 0);
  is("length", PIOc_inq_dimlen(file, 0, &found), 0);
  is("close", PIOc_closefile(file), 0);
  PIOc_finalize(system_id);
  return found;
}

/* Models give negative frames to variables without records, and read records without a frame. */
static void frames(const char* path) {
  const int system_id = system_with(NULL);
  int fixed, records, file = create(system_id, path, PIO_DOUBLE, &fixed, &records);
  is("negative frame", PIOc_setframe(file, fixed, -2), 0);
  is("array without records", PIOc_write_darray(file, fixed, layout, cells, data, NULL), 0);
  is("record 0", write_record(file, records, 0, 100), 0);
  is("record 1", write_record(file, records, 1, 200), 0);
  has("record 1", file, records, 200);
  is("no frame any more", PIOc_setframe(file, records, -1), 0);
  is("array without a frame", PIOc_write_darray(file, records, layout, cells, data, NULL), PIO_EINVAL);
  is("a frame of some ranks", PIOc_put_vard(file, records, layout, rank > 0 ? -1 : 0, data), PIO_EINVAL);
  is("no frame any more", PIOc_setframe(file, records, -1), 0);
  has("record 0 after that", file, records, 100);
  is("advance", PIOc_advanceframe(file, records), 0);
  has("frame after none", file, records, 100);
  is("close", PIOc_closefile(file), 0);
  is("open", PIOc_openfile(system_id, &file, &type, path, PIO_NOWRITE), 0);
  has("no frame since the open", file, records, 100);
  is("close", PIOc_closefile(file), 0);
  PIOc_finalize(system_id);
}

/* Records of arrays that were not written are not counted by the next write. */
static void failed_write(const char* path) {
  const int system_id = system_with("all:write1:EIO");
  int fixed, records, file = create(system_id, path, PIO_DOUBLE, &fixed, &records);
  PIO_Offset found = -1;
  is("record 9", write_record(file, records, 9, 0), 0);
  is("records while it waits", PIOc_inq_dimlen(file, 0, &found), 0);
  is("records while it waits", found, 10);
  is("write that fails", PIOc_sync(file) < 0, 1);
  is("record 0", write_record(file, records, 0, 100), 0);
  is("write", PIOc_sync(file), 0);
  is("records", PIOc_inq_dimlen(file, 0, &found), 0);
  is("records", found, 1);
  is("close", PIOc_closefile(file), 0);
  PIOc_finalize(system_id);
  is("records in the file", records_of(path), 1);
}

/* Arrays that are not on the disk are not counted. */
static void failed_flush(const char* path) {
  const int system_id = system_with("all:sync1:EIO");
  int fixed, records, file = create(system_id, path, PIO_DOUBLE, &fixed, &records);
  is("record", write_record(file, records, 0, 100), 0);
  is("flush that fails", PIOc_sync(file) < 0, 1);
  is("records after it", records_of(path), 0);
  is("record again", write_record(file, records, 0, 100), 0);
  is("flush", PIOc_sync(file), 0);
  is("records", records_of(path), 1);
  is("close", PIOc_closefile(file), 0);
  PIOc_finalize(system_id);
}

/* A header that cannot be read again is an error of calls that need it, and only while it lasts. */
static void moved(const char* path) {
  const int system_id = system_with(NULL);
  char away[1100];
  int fixed, records, file = create(system_id, path, PIO_DOUBLE, &fixed, &records), found = -1;
  snprintf(away, sizeof away, "%s.away", path);
  is("record", write_record(file, records, 0, 100), 0);
  is("sync", PIOc_sync(file), 0);
  if (rank == 0) is("rename", rename(path, away), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  double* all = calloc((size_t)cells * size * 3, sizeof *all);
  is("data", PIOc_get_var_double(file, records, all), NC_ENOENT);
  is("question of the header", PIOc_inq_varid(file, "fixed", &found), 0);
  is("fixed", found, fixed);
  is("record", write_record(file, records, 1, 200), 0);
  is("sync", PIOc_sync(file), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) is("rename", rename(away, path), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  is("data after that", PIOc_get_var_double(file, records, all), 0);
  is("last", (long long)all[cells * size * 2 - 1], 200 + cells * size - cells);
  is("record", write_record(file, records, 2, 300), 0);
  is("sync", PIOc_sync(file), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) is("rename", rename(path, away), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  is("data", PIOc_get_var_double(file, records, all), NC_ENOENT);
  is("close of a whole file", PIOc_closefile(file), 0);
  if (rank == 0) is("rename", rename(away, path), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  is("records", records_of(path), 3);
  free(all);
  PIOc_finalize(system_id);
}

/* CDF-1 and CDF-2 have no PIO_UBYTE: netCDF takes their PIO_BYTE for either. CDF-5 has both. */
static void bytes(const char* path, int mode, int code) {
  const int system_id = system_with(NULL), bytes_layout = layout_of(system_id, PIO_UBYTE, cells);
  unsigned char out[cells], in[cells] = {0}, fill = 255;
  int file, dim, variable;
  is("create", PIOc_createfile(system_id, &file, &type, path, PIO_CLOBBER | mode), 0);
  is("cell", PIOc_def_dim(file, "cell", cells * size, &dim), 0);
  is("bytes", PIOc_def_var(file, "bytes", PIO_BYTE, 1, &dim, &variable), 0);
  is("enddef", PIOc_enddef(file), 0);
  for (int i = 0; i < cells; ++i) out[i] = (unsigned char)(100 + 20 * i);
  is("bytes", PIOc_write_darray(file, variable, bytes_layout, cells, out, &fill), 0);
  is("sync", PIOc_sync(file), code);
  is("bytes", PIOc_read_darray(file, variable, bytes_layout, cells, in), code);
  for (int i = 0; i < cells && code == 0; ++i) is("byte", in[i], out[i]);
  is("close", PIOc_closefile(file), 0);
  PIOc_finalize(system_id);
}

/* A file that is open for long keeps nothing of decompositions that a step makes and frees. */
static void freed_decompositions(const char* path) {
  enum { steps = 400, most_growth = 4 << 20 };
  const int system_id = system_with(NULL);
  double* step = calloc(many_cells, sizeof *step);
  size_t before = 0;
  int file, dim, variable;
  is("create", PIOc_createfile(system_id, &file, &type, path, PIO_CLOBBER), 0);
  is("cell", PIOc_def_dim(file, "cell", many_cells * size, &dim), 0);
  is("fixed", PIOc_def_var(file, "fixed", PIO_DOUBLE, 1, &dim, &variable), 0);
  is("enddef", PIOc_enddef(file), 0);
  for (int i = 0; i < steps; ++i) {
    const int made = layout_of(system_id, PIO_DOUBLE, many_cells);
    step[0] = i;
    is("write", PIOc_write_darray(file, variable, made, many_cells, step, NULL), 0);
    is("free", PIOc_freedecomp(system_id, made), 0); /* the array still waits */
    if (i == steps / 4) before = mallinfo2().uordblks;
  }
  const size_t after = mallinfo2().uordblks;
  is("growth", after < before + most_growth ? 0 : (long long)(after - before), 0);
  const int made = layout_of(system_id, PIO_DOUBLE, many_cells);
  is("read", PIOc_read_darray(file, variable, made, many_cells, step), 0);
  is("last step", (long long)step[0], steps - 1);
  is("close", PIOc_closefile(file), 0);
  free(step);
  PIOc_finalize(system_id);
}

int main(int argc, char** argv) {
  char path[1024];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(path, sizeof path, "%s/records.nc", argc > 1 ? argv[1] : ".");
  PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL);
  frames(path);
  failed_write(path);
  failed_flush(path);
  moved(path);
  bytes(path, 0, 0);
  bytes(path, PIO_64BIT_OFFSET, 0);
  bytes(path, PIO_64BIT_DATA, PIO_ERANGE);
  freed_decompositions(path);
  MPI_Finalize();
  return wrong;
}
