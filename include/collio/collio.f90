! collio as a library, for Fortran: what collio.h has, under the same names. docs/how-to/library.md shows how to use it.
!
! Compile this file with the program; then `use collio` and link with libcollio.so. It needs no MPI module and fits every MPI.
!
! What differs from C:
!   - Shapes, starts, counts and layouts have Fortran's order of dimensions, the first being the fastest.
!   - Starts, elements of a map and records count from 1. In a map 0 means: not in the array. Offsets are bytes, from 0.
!   - Data is an array or scalar of any type, rank and stride. collio reads its descriptor, so nothing is copied, not even
!     sections (a(:, ::2)) and components of arrays of derived types (p%x). Do not put an expression or a section by an index
!     vector (a(indices)): the compiler makes a temporary of it that is gone before the commit.
!   - What was put or asked for belongs to collio until its commit or fetch is done. Give such variables the attribute
!     `asynchronous` (or `target`), so that the compiler does not move accesses across the wait.
!   - Without ierr, an error ends the job, on all ranks, with its text.
module collio
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64
  implicit none
  private

  public :: collio_file, collio_decomposition, collio_variable, collio_request, collio_pieces
  public :: collio_open, collio_close, collio_sync, collio_size, collio_set_size
  public :: collio_delete_file, collio_replace_file
  public :: collio_box, collio_map, collio_free, collio_define
  public :: collio_save, collio_load, collio_elements, collio_shape, collio_indices
  public :: collio_put, collio_get, collio_commit, collio_fetch, collio_wait, collio_test, collio_cancel
  public :: collio_declare, collio_wait_puts, collio_group_end
  public :: collio_lists, collio_write_pieces, collio_read_pieces, collio_write_alone, collio_read_alone
  public :: collio_error_text, collio_version

  ! What ierr becomes.
  integer(c_int), parameter, public :: COLLIO_OK = 0, COLLIO_ERR_OTHER = 1, COLLIO_ERR_ARGUMENT = 2, &
    COLLIO_ERR_DISPLACEMENT = 3, COLLIO_ERR_TYPE = 4, COLLIO_ERR_NOT_SAME = 5, COLLIO_ERR_NO_MEMORY = 6, &
    COLLIO_ERR_BAD_FILE = 7, COLLIO_ERR_NO_SUCH_FILE = 8, COLLIO_ERR_FILE_EXISTS = 9, COLLIO_ERR_ACCESS = 10, &
    COLLIO_ERR_READ_ONLY = 11, COLLIO_ERR_IN_USE = 12, COLLIO_ERR_IO = 13, COLLIO_ERR_QUOTA = 14, &
    COLLIO_ERR_NO_SPACE = 15

  ! How a file is opened; a sum of these.
  integer(c_int), parameter, public :: COLLIO_READ = 1, COLLIO_WRITE = 2, COLLIO_CREATE = 4, &
    COLLIO_EXCLUSIVE = 8, COLLIO_TRUNCATE = 16, COLLIO_WHOLE = 32

  ! What collio_load does where other than the saved number of ranks load.
  integer(c_int), parameter, public :: COLLIO_DEAL_NONE = 0, COLLIO_DEAL_SHARES = 1, COLLIO_DEAL_MAPS = 2

  type, bind(C) :: collio_file
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  type, bind(C) :: collio_decomposition
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int64_t) :: elements = 0
  end type

  ! fortran_descriptors.c reads it.
  type, bind(C) :: collio_variable
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int64_t) :: elements = 0, element_bytes = 0
  end type

  ! collio_shape of collio.h.
  type, bind(C) :: lengths
    integer(c_int) :: dims = 0
    type(c_ptr) :: lengths = c_null_ptr
  end type

  type, bind(C) :: collio_request
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! collio_part of collio.h.
  type, bind(C) :: part
    type(c_ptr) :: variable = c_null_ptr
    integer(c_int64_t) :: record = 0
  end type

  ! Offsets and lengths; collio_lists() makes them.
  type, bind(C) :: collio_pieces
    private
    integer(c_int64_t) :: count = -1  ! none are given: one piece
    type(c_ptr) :: offsets = c_null_ptr, lengths = c_null_ptr
  end type

  ! call collio_box(shape, start, count, decomposition, ierr)
  interface collio_box
    procedure box_i4, box_i8
  end interface

  ! call collio_map(shape, map, decomposition, ierr)
  interface collio_map
    procedure map_i4, map_i8
  end interface

  ! call collio_load(comm, path, decomposition[, shape][, deal], ierr). Collective.
  interface collio_load
    procedure load_any, load_i4, load_i8
  end interface

  ! call collio_indices(decomposition, map, ierr). As collio_map takes it: from 1, and 0 for what is not in the array.
  interface collio_indices
    procedure indices_i4, indices_i8
  end interface

  ! call collio_define(file, decomposition, element_bytes, offset, record_bytes, variable, ierr)
  interface collio_define
    procedure define_i4, define_i48, define_i8
  end interface

  ! call collio_declare(file, variables, records[, in_memory], ierr). Records count from 1, the step's first. Collective.
  interface collio_declare
    procedure declare_i4, declare_i8
  end interface

  ! call collio_put(variable, record, data, ierr). These are C functions: in front of one of Fortran, compilers copy p%x.
  interface collio_put
    subroutine collio_fortran_put(variable, record, data, ierr) bind(C)
      import
      type(collio_variable), intent(in) :: variable
      integer(c_int32_t), value :: record
      type(*), dimension(..), intent(in), asynchronous :: data
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine collio_fortran_put_8(variable, record, data, ierr) bind(C)
      import
      type(collio_variable), intent(in) :: variable
      integer(c_int64_t), value :: record
      type(*), dimension(..), intent(in), asynchronous :: data
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface

  ! call collio_get(variable, record, data, ierr)
  interface collio_get
    subroutine collio_fortran_get(variable, record, data, ierr) bind(C)
      import
      type(collio_variable), intent(in) :: variable
      integer(c_int32_t), value :: record
      type(*), dimension(..), intent(inout), asynchronous :: data
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine collio_fortran_get_8(variable, record, data, ierr) bind(C)
      import
      type(collio_variable), intent(in) :: variable
      integer(c_int64_t), value :: record
      type(*), dimension(..), intent(inout), asynchronous :: data
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface

  ! `pieces`: those in the file and those in memory, from collio_lists(). `memory` is contiguous. Without a request they return
  ! when the data is moved.
  interface
    subroutine collio_write_pieces(file, pieces, memory, request, ierr) bind(C, name="collio_fortran_write_pieces")
      import
      type(collio_file), intent(in) :: file
      type(collio_pieces), intent(in) :: pieces(2)
      type(*), dimension(..), intent(in), asynchronous :: memory
      type(collio_request), intent(inout), optional :: request
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine collio_read_pieces(file, pieces, memory, request, ierr) bind(C, name="collio_fortran_read_pieces")
      import
      type(collio_file), intent(in) :: file
      type(collio_pieces), intent(in) :: pieces(2)
      type(*), dimension(..), intent(inout), asynchronous :: memory
      type(collio_request), intent(inout), optional :: request
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine collio_write_alone(file, pieces, memory, bytes, ierr) bind(C, name="collio_fortran_write_alone")
      import
      type(collio_file), intent(in) :: file
      type(collio_pieces), intent(in) :: pieces(2)
      type(*), dimension(..), intent(in) :: memory
      integer(c_int64_t), intent(out), optional :: bytes
      integer(c_int), intent(out), optional :: ierr
    end subroutine
    subroutine collio_read_alone(file, pieces, memory, bytes, ierr) bind(C, name="collio_fortran_read_alone")
      import
      type(collio_file), intent(in) :: file
      type(collio_pieces), intent(in) :: pieces(2)
      type(*), dimension(..), intent(inout) :: memory
      integer(c_int64_t), intent(out), optional :: bytes
      integer(c_int), intent(out), optional :: ierr
    end subroutine
  end interface

  ! collio.h: by tools/generate_calls
  interface
    integer(c_int) function c_end_job(code) bind(C, name="collio_end_job")
      import
      integer(c_int), value :: code
    end function
    integer(c_int) function c_open(fortran_comm, path, mode, hints, file) bind(C, name="collio_open_f")
      import
      integer(c_int), value :: fortran_comm
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      character(kind=c_char), intent(in) :: hints(*)
      type(c_ptr), intent(inout) :: file
    end function
    integer(c_int) function c_close(file) bind(C, name="collio_close")
      import
      type(c_ptr), intent(inout) :: file
    end function
    integer(c_int) function c_sync(file) bind(C, name="collio_sync")
      import
      type(c_ptr), value :: file
    end function
    integer(c_int) function c_size(file, bytes) bind(C, name="collio_size")
      import
      type(c_ptr), value :: file
      integer(c_int64_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_set_size(file, bytes) bind(C, name="collio_set_size")
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: bytes
    end function
    integer(c_int) function c_delete_file(path) bind(C, name="collio_delete_file")
      import
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function c_replace_file(path, by) bind(C, name="collio_replace_file")
      import
      character(kind=c_char), intent(in) :: path(*)
      character(kind=c_char), intent(in) :: by(*)
    end function
    integer(c_int) function c_box(dims, shape, start, count, decomposition) bind(C, name="collio_box")
      import
      integer(c_int), value :: dims
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int64_t), intent(in) :: start(*)
      integer(c_int64_t), intent(in) :: count(*)
      type(c_ptr), intent(inout) :: decomposition
    end function
    integer(c_int) function c_map(dims, shape, elements, map, decomposition) bind(C, name="collio_map")
      import
      integer(c_int), value :: dims
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int64_t), value :: elements
      integer(c_int64_t), intent(in) :: map(*)
      type(c_ptr), intent(inout) :: decomposition
    end function
    integer(c_int) function c_free(decomposition) bind(C, name="collio_free")
      import
      type(c_ptr), intent(inout) :: decomposition
    end function
    integer(c_int) function c_inquire(decomposition, dims, shape, elements) bind(C, name="collio_inquire")
      import
      type(c_ptr), value :: decomposition
      integer(c_int), intent(inout) :: dims
      integer(c_int64_t), intent(inout) :: shape(*)
      integer(c_int64_t), intent(inout) :: elements
    end function
    integer(c_int) function c_indices(decomposition, map) bind(C, name="collio_indices")
      import
      type(c_ptr), value :: decomposition
      integer(c_int64_t), intent(inout) :: map(*)
    end function
    integer(c_int) function c_save(fortran_comm, path, decomposition) bind(C, name="collio_save_f")
      import
      integer(c_int), value :: fortran_comm
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: decomposition
    end function
    integer(c_int) function c_load(fortran_comm, path, shape, deal, decomposition) bind(C, name="collio_load_f")
      import
      integer(c_int), value :: fortran_comm
      character(kind=c_char), intent(in) :: path(*)
      type(lengths), intent(in), optional :: shape
      integer(c_int), value :: deal
      type(c_ptr), intent(inout) :: decomposition
    end function
    integer(c_int) function c_define(file, decomposition, element_bytes, offset, record_bytes, variable) bind(C, &
        name="collio_define")
      import
      type(c_ptr), value :: file
      type(c_ptr), value :: decomposition
      integer(c_int64_t), value :: element_bytes
      integer(c_int64_t), value :: offset
      integer(c_int64_t), value :: record_bytes
      type(c_ptr), intent(inout) :: variable
    end function
    integer(c_int) function c_undefine(variable) bind(C, name="collio_undefine")
      import
      type(c_ptr), intent(inout) :: variable
    end function
    integer(c_int) function c_commit(file, request) bind(C, name="collio_commit")
      import
      type(c_ptr), value :: file
      type(c_ptr), intent(inout), optional :: request
    end function
    integer(c_int) function c_fetch(file, request) bind(C, name="collio_fetch")
      import
      type(c_ptr), value :: file
      type(c_ptr), intent(inout), optional :: request
    end function
    integer(c_int) function c_wait(request, bytes) bind(C, name="collio_wait")
      import
      type(c_ptr), intent(inout), optional :: request
      integer(c_int64_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_test(request, done) bind(C, name="collio_test")
      import
      type(c_ptr), value :: request
      integer(c_int), intent(inout) :: done
    end function
    integer(c_int) function c_cancel(file) bind(C, name="collio_cancel")
      import
      type(c_ptr), value :: file
    end function
    integer(c_int) function c_declare(file, count, parts, in_memory) bind(C, name="collio_declare")
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: count
      type(part), intent(in) :: parts(*)
      integer(c_int64_t), value :: in_memory
    end function
    integer(c_int) function c_wait_puts(file, puts) bind(C, name="collio_wait_puts")
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: puts
    end function
    integer(c_int) function c_group_end(file, put, end) bind(C, name="collio_group_end")
      import
      type(c_ptr), value :: file
      integer(c_int64_t), value :: put
      integer(c_int64_t), intent(inout) :: end
    end function
  end interface
  ! end of collio.h

  interface
    type(c_ptr) function c_error_text() bind(C, name="collio_error_text")
      import
    end function
    type(c_ptr) function c_version() bind(C, name="collio_version")
      import
    end function
    integer(c_size_t) function c_strlen(text) bind(C, name="strlen")
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! `comm`: an integer, or a type(MPI_Comm) of mpi_f08, whose one component is that integer. Collective.
  subroutine collio_open(comm, path, mode, hints, file, ierr)
    type(*), intent(in), target :: comm
    character(*), intent(in) :: path, hints
    integer(c_int), intent(in) :: mode
    type(collio_file), intent(out) :: file
    integer(c_int), intent(out), optional :: ierr
    integer(c_int), pointer :: handle
    call c_f_pointer(c_loc(comm), handle)
    call ended(c_open(handle, trim(path)//c_null_char, mode, trim(hints)//c_null_char, file%handle), ierr)
  end subroutine

  ! Collective.
  subroutine collio_close(file, ierr)
    type(collio_file), intent(inout) :: file
    integer(c_int), intent(out), optional :: ierr
    call ended(c_close(file%handle), ierr)
  end subroutine

  ! Collective.
  subroutine collio_sync(file, ierr)
    type(collio_file), intent(in) :: file
    integer(c_int), intent(out), optional :: ierr
    call ended(c_sync(file%handle), ierr)
  end subroutine

  subroutine collio_size(file, bytes, ierr)
    type(collio_file), intent(in) :: file
    integer(int64), intent(out) :: bytes
    integer(c_int), intent(out), optional :: ierr
    bytes = -1
    call ended(c_size(file%handle, bytes), ierr)
  end subroutine

  ! Collective.
  subroutine collio_set_size(file, bytes, ierr)
    type(collio_file), intent(in) :: file
    integer(int64), intent(in) :: bytes
    integer(c_int), intent(out), optional :: ierr
    call ended(c_set_size(file%handle, bytes), ierr)
  end subroutine

  subroutine collio_delete_file(path, ierr)
    character(*), intent(in) :: path
    integer(c_int), intent(out), optional :: ierr
    call ended(c_delete_file(trim(path)//c_null_char), ierr)
  end subroutine

  subroutine collio_replace_file(path, by, ierr)
    character(*), intent(in) :: path, by
    integer(c_int), intent(out), optional :: ierr
    call ended(c_replace_file(trim(path)//c_null_char, trim(by)//c_null_char), ierr)
  end subroutine

  subroutine box_i8(shape, start, count, decomposition, ierr)
    integer(int64), intent(in) :: shape(:), start(:), count(:)
    type(collio_decomposition), intent(out) :: decomposition
    integer(c_int), intent(out), optional :: ierr
    integer(int64), dimension(size(shape)) :: c_shape, c_start, c_count
    integer :: n
    n = size(shape)
    if (size(start) /= n .or. size(count) /= n) then
      call refuse("collio_box: shape, start and count have different sizes", ierr)
      return
    end if
    decomposition%elements = product(count)
    c_shape = shape(n:1:-1)
    c_start = start(n:1:-1) - 1
    c_count = count(n:1:-1)
    call ended(c_box(n, c_shape, c_start, c_count, decomposition%handle), ierr)
  end subroutine

  subroutine box_i4(shape, start, count, decomposition, ierr)
    integer(int32), intent(in) :: shape(:), start(:), count(:)
    type(collio_decomposition), intent(out) :: decomposition
    integer(c_int), intent(out), optional :: ierr
    call box_i8(int(shape, int64), int(start, int64), int(count, int64), decomposition, ierr)
  end subroutine

  subroutine map_i8(shape, map, decomposition, ierr)
    integer(int64), intent(in) :: shape(:), map(:)
    type(collio_decomposition), intent(out) :: decomposition
    integer(c_int), intent(out), optional :: ierr
    integer(int64), allocatable :: from_zero(:)
    integer(int64) :: c_shape(size(shape))
    integer :: n
    n = size(shape)
    c_shape = shape(n:1:-1)
    decomposition%elements = size(map, kind=int64)
    allocate (from_zero(decomposition%elements))  ! an expression could end on the stack
    from_zero = map - 1
    call ended(c_map(n, c_shape, decomposition%elements, from_zero, decomposition%handle), ierr)
  end subroutine

  subroutine map_i4(shape, map, decomposition, ierr)
    integer(int32), intent(in) :: shape(:), map(:)
    type(collio_decomposition), intent(out) :: decomposition
    integer(c_int), intent(out), optional :: ierr
    integer(int64), allocatable :: wide(:)
    allocate (wide(size(map)))
    wide = map
    call map_i8(int(shape, int64), wide, decomposition, ierr)
  end subroutine

  subroutine collio_free(decomposition, ierr)
    type(collio_decomposition), intent(inout) :: decomposition
    integer(c_int), intent(out), optional :: ierr
    call ended(c_free(decomposition%handle), ierr)
  end subroutine

  ! Collective.
  subroutine collio_save(comm, path, decomposition, ierr)
    type(*), intent(in), target :: comm
    character(*), intent(in) :: path
    type(collio_decomposition), intent(in) :: decomposition
    integer(c_int), intent(out), optional :: ierr
    integer(c_int), pointer :: handle
    call c_f_pointer(c_loc(comm), handle)
    call ended(c_save(handle, trim(path)//c_null_char, decomposition%handle), ierr)
  end subroutine

  subroutine load_any(comm, path, decomposition, deal, ierr)
    type(*), intent(in), target :: comm
    character(*), intent(in) :: path
    type(collio_decomposition), intent(out) :: decomposition
    integer(c_int), intent(in), optional :: deal
    integer(c_int), intent(out), optional :: ierr
    integer(c_int), pointer :: handle
    call c_f_pointer(c_loc(comm), handle)
    call load(handle, path, decomposition, deal=deal, ierr=ierr)
  end subroutine

  subroutine load_i8(comm, path, decomposition, shape, deal, ierr)
    type(*), intent(in), target :: comm
    character(*), intent(in) :: path
    type(collio_decomposition), intent(out) :: decomposition
    integer(int64), intent(in) :: shape(:)
    integer(c_int), intent(in), optional :: deal
    integer(c_int), intent(out), optional :: ierr
    integer(c_int), pointer :: handle
    call c_f_pointer(c_loc(comm), handle)
    call load(handle, path, decomposition, shape, deal, ierr)
  end subroutine

  subroutine load_i4(comm, path, decomposition, shape, deal, ierr)
    type(*), intent(in), target :: comm
    character(*), intent(in) :: path
    type(collio_decomposition), intent(out) :: decomposition
    integer(int32), intent(in) :: shape(:)
    integer(c_int), intent(in), optional :: deal
    integer(c_int), intent(out), optional :: ierr
    integer(c_int), pointer :: handle
    call c_f_pointer(c_loc(comm), handle)
    call load(handle, path, decomposition, int(shape, int64), deal, ierr)
  end subroutine

  subroutine load(comm, path, decomposition, shape, deal, ierr)
    integer(c_int), intent(in) :: comm
    character(*), intent(in) :: path
    type(collio_decomposition), intent(inout) :: decomposition
    integer(int64), intent(in), optional :: shape(:)
    integer(c_int), intent(in), optional :: deal
    integer(c_int), intent(out), optional :: ierr
    integer(int64), target, allocatable :: c_order(:)
    type(lengths) :: wanted
    integer(c_int) :: code, rule
    rule = COLLIO_DEAL_NONE
    if (present(deal)) rule = deal
    if (present(shape)) then
      c_order = shape(size(shape):1:-1)
      wanted%dims = size(c_order)
      wanted%lengths = c_loc(c_order)
      code = c_load(comm, trim(path)//c_null_char, wanted, rule, decomposition%handle)
    else
      code = c_load(comm, trim(path)//c_null_char, deal=rule, decomposition=decomposition%handle)
    end if
    if (code == COLLIO_OK) decomposition%elements = elements_of(decomposition)
    call ended(code, ierr)
  end subroutine

  ! Elements of this rank, those that are not in the array included.
  function collio_elements(decomposition) result(elements)
    type(collio_decomposition), intent(in) :: decomposition
    integer(int64) :: elements
    elements = decomposition%elements
  end function

  integer(int64) function elements_of(decomposition)
    type(collio_decomposition), intent(in) :: decomposition
    integer(int64) :: shape(7)
    integer(c_int) :: dims
    elements_of = 0
    if (c_inquire(decomposition%handle, dims, shape, elements_of) /= COLLIO_OK) elements_of = 0
  end function

  ! Of the whole array.
  function collio_shape(decomposition) result(shape)
    type(collio_decomposition), intent(in) :: decomposition
    integer(int64), allocatable :: shape(:)
    integer(int64) :: c_order(7), elements
    integer(c_int) :: dims
    dims = 0
    call ended(c_inquire(decomposition%handle, dims, c_order, elements))
    shape = c_order(dims:1:-1)
  end function

  subroutine indices_i8(decomposition, map, ierr)
    type(collio_decomposition), intent(in) :: decomposition
    integer(int64), allocatable, intent(out) :: map(:)
    integer(c_int), intent(out), optional :: ierr
    allocate (map(decomposition%elements))
    call ended(c_indices(decomposition%handle, map), ierr)
    map = map + 1
  end subroutine

  subroutine indices_i4(decomposition, map, ierr)
    type(collio_decomposition), intent(in) :: decomposition
    integer(int32), allocatable, intent(out) :: map(:)
    integer(c_int), intent(out), optional :: ierr
    integer(int64), allocatable :: wide(:)
    call indices_i8(decomposition, wide, ierr)
    allocate (map(size(wide)))
    map = int(wide, int32)
  end subroutine

  subroutine define_i8(file, decomposition, element_bytes, offset, record_bytes, variable, ierr)
    type(collio_file), intent(in) :: file
    type(collio_decomposition), intent(in) :: decomposition
    integer(int64), intent(in) :: element_bytes, offset, record_bytes
    type(collio_variable), intent(out) :: variable
    integer(c_int), intent(out), optional :: ierr
    variable%elements = decomposition%elements
    variable%element_bytes = element_bytes
    call ended(c_define(file%handle, decomposition%handle, element_bytes, offset, record_bytes, variable%handle), ierr)
  end subroutine

  subroutine define_i48(file, decomposition, element_bytes, offset, record_bytes, variable, ierr)
    type(collio_file), intent(in) :: file
    type(collio_decomposition), intent(in) :: decomposition
    integer(int32), intent(in) :: element_bytes
    integer(int64), intent(in) :: offset, record_bytes
    type(collio_variable), intent(out) :: variable
    integer(c_int), intent(out), optional :: ierr
    call define_i8(file, decomposition, int(element_bytes, int64), offset, record_bytes, variable, ierr)
  end subroutine

  subroutine define_i4(file, decomposition, element_bytes, offset, record_bytes, variable, ierr)
    type(collio_file), intent(in) :: file
    type(collio_decomposition), intent(in) :: decomposition
    integer(int32), intent(in) :: element_bytes, offset, record_bytes
    type(collio_variable), intent(out) :: variable
    integer(c_int), intent(out), optional :: ierr
    call define_i48(file, decomposition, element_bytes, int(offset, int64), int(record_bytes, int64), variable, ierr)
  end subroutine

  ! Without a request it returns when the data is written. Collective.
  subroutine collio_commit(file, request, ierr)
    type(collio_file), intent(in) :: file
    type(collio_request), intent(out), optional :: request
    integer(c_int), intent(out), optional :: ierr
    if (present(request)) then
      call ended(c_commit(file%handle, request%handle), ierr)
    else
      call ended(c_commit(file%handle), ierr)
    end if
  end subroutine

  ! Without a request it returns when the data is read. Collective.
  subroutine collio_fetch(file, request, ierr)
    type(collio_file), intent(in) :: file
    type(collio_request), intent(out), optional :: request
    integer(c_int), intent(out), optional :: ierr
    if (present(request)) then
      call ended(c_fetch(file%handle, request%handle), ierr)
    else
      call ended(c_fetch(file%handle), ierr)
    end if
  end subroutine

  subroutine collio_wait(request, bytes, ierr)
    type(collio_request), intent(inout) :: request
    integer(int64), intent(out), optional :: bytes
    integer(c_int), intent(out), optional :: ierr
    integer(c_int64_t) :: moved
    integer(c_int) :: code
    moved = 0
    code = c_wait(request%handle, moved)
    if (present(bytes)) bytes = moved
    call ended(code, ierr)
  end subroutine

  subroutine collio_test(request, done, ierr)
    type(collio_request), intent(in) :: request
    logical, intent(out) :: done
    integer(c_int), intent(out), optional :: ierr
    integer(c_int) :: flag, code
    flag = 0
    code = c_test(request%handle, flag)
    done = flag /= 0
    call ended(code, ierr)
  end subroutine

  subroutine collio_cancel(file, ierr)
    type(collio_file), intent(in) :: file
    integer(c_int), intent(out), optional :: ierr
    call ended(c_cancel(file%handle), ierr)
  end subroutine

  subroutine declare_i8(file, variables, records, in_memory, ierr)
    type(collio_file), intent(in) :: file
    type(collio_variable), intent(in) :: variables(:)
    integer(int64), intent(in) :: records(:)
    integer, intent(in), optional :: in_memory
    integer(c_int), intent(out), optional :: ierr
    type(part) :: parts(size(variables))
    integer(int64) :: limit
    if (size(variables) /= size(records)) then
      call refuse("collio_declare: not as many records as variables", ierr)
      return
    end if
    parts%variable = variables%handle
    parts%record = records - 1
    limit = 0
    if (present(in_memory)) limit = in_memory
    call ended(c_declare(file%handle, size(parts, kind=int64), parts, limit), ierr)
  end subroutine

  subroutine declare_i4(file, variables, records, in_memory, ierr)
    type(collio_file), intent(in) :: file
    type(collio_variable), intent(in) :: variables(:)
    integer(int32), intent(in) :: records(:)
    integer, intent(in), optional :: in_memory
    integer(c_int), intent(out), optional :: ierr
    call declare_i8(file, variables, int(records, int64), in_memory, ierr)
  end subroutine

  subroutine collio_wait_puts(file, puts, ierr)
    type(collio_file), intent(in) :: file
    integer, intent(in) :: puts
    integer(c_int), intent(out), optional :: ierr
    call ended(c_wait_puts(file%handle, int(puts, int64)), ierr)
  end subroutine

  ! The last put in the group of declared put `put`, counted from 1.
  subroutine collio_group_end(file, put, last, ierr)
    type(collio_file), intent(in) :: file
    integer, intent(in) :: put
    integer, intent(out) :: last
    integer(c_int), intent(out), optional :: ierr
    integer(int64) :: end
    integer(c_int) :: code
    end = 0
    code = c_group_end(file%handle, int(put - 1, int64), end)
    last = int(end)
    call ended(code, ierr)
  end subroutine

  ! Pieces for collio_write_pieces() and its kin: those in the file, and those in memory, in bytes from the start of `memory`.
  ! Without the latter memory is one piece. The arrays are contiguous and stay as they are until that call has returned.
  function collio_lists(offsets, lengths, memory_offsets, memory_lengths) result(pieces)
    integer(int64), intent(in), target :: offsets(:), lengths(:)
    integer(int64), intent(in), target, optional :: memory_offsets(:), memory_lengths(:)
    type(collio_pieces) :: pieces(2)
    pieces(1) = list_of(offsets, lengths)
    if (present(memory_offsets) .neqv. present(memory_lengths)) &
      call refuse("collio_lists: memory_offsets and memory_lengths go together")
    if (present(memory_offsets)) pieces(2) = list_of(memory_offsets, memory_lengths)
  end function

  function list_of(offsets, lengths) result(pieces)
    integer(int64), intent(in), target :: offsets(:), lengths(:)
    type(collio_pieces) :: pieces
    if (size(offsets) /= size(lengths)) call refuse("collio_lists: not as many lengths as offsets")
    if (.not. (is_contiguous(offsets) .and. is_contiguous(lengths))) call refuse("collio_lists: the lists are not contiguous")
    pieces%count = size(offsets, kind=int64)
    if (pieces%count == 0) return
    pieces%offsets = c_loc(offsets(1))
    pieces%lengths = c_loc(lengths(1))
  end function

  ! The text of the last error of this thread.
  function collio_error_text() result(text)
    character(:), allocatable :: text
    text = text_of(c_error_text())
  end function

  function collio_version() result(text)
    character(:), allocatable :: text
    text = text_of(c_version())
  end function

  function text_of(from) result(text)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(from, letters, [c_strlen(from)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! Gives a code to the caller; ends the job where an error has no place to go.
  subroutine ended(code, ierr)
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = code
    else if (code /= COLLIO_OK) then
      write (error_unit, '(2a)') 'collio: ', collio_error_text()
      call end_job()
    end if
  end subroutine

  subroutine end_job()
    integer(c_int) :: code
    flush (error_unit)
    code = c_end_job(1_c_int)
    error stop 1
  end subroutine

  ! Wrong arguments that C does not see.
  subroutine refuse(text, ierr)
    character(*), intent(in) :: text
    integer(c_int), intent(out), optional :: ierr
    write (error_unit, '(2a)') 'collio: ', text
    if (.not. present(ierr)) call end_job()
    if (present(ierr)) ierr = COLLIO_ERR_ARGUMENT
  end subroutine
end module
