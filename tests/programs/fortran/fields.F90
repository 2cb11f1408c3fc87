! A block-distributed plane and a plane of scattered elements in one file, by collective MPI-IO.
!
! One source for Fortran's three ways to MPI: -DBINDING_MPIFH (mpif.h), -DBINDING_MPI (use mpi), else use mpi_f08.
! Usage: fields write|read FILE. Ends with code 1 when a value, a count or a position is wrong.
#if defined(BINDING_MPIFH) || defined(BINDING_MPI)
#define HANDLE(kind) integer
#define STATUS_TYPE integer, dimension(MPI_STATUS_SIZE)
#else
#define HANDLE(kind) type(kind)
#define STATUS_TYPE type(MPI_Status)
#endif
program fields
#if defined(BINDING_MPI)
  use mpi
#elif !defined(BINDING_MPIFH)
  use mpi_f08
#endif
  implicit none
#if defined(BINDING_MPIFH)
  include 'mpif.h'
#endif
  integer, parameter :: n = 60                 ! each rank's block is n x n of a (2n) x (ranks/2*n) plane
  integer, parameter :: scattered = 1500       ! each rank's elements of the second plane
  integer :: rank, ranks, error, code
  character(len=16) :: mode
  character(len=1024) :: path

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, mode)
  call get_command_argument(2, path)
  code = 0
  if (mode == 'write') call write_planes()
  call read_planes()
  if (code /= 0) print '(a,i0,a,i0)', 'rank ', rank, ' failed check ', code
  call MPI_Allreduce(MPI_IN_PLACE, code, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
  if (code /= 0) stop 1

contains

  subroutine check(ok, number)
    logical, intent(in) :: ok
    integer, intent(in) :: number
    if (.not. ok .and. code == 0) code = number
  end subroutine

  ! Value of this rank's element i of the given plane.
  double precision function value(plane, i)
    integer, intent(in) :: plane, i
    value = plane * 1d6 + rank * 1d4 + i
  end function

  integer(MPI_OFFSET_KIND) function bytes_of_plane()
    bytes_of_plane = int(ranks, MPI_OFFSET_KIND) * n * n * 8
  end function

  subroutine make_block(block)
    HANDLE(MPI_Datatype), intent(out) :: block
    integer :: whole(2), part(2), first(2)
    whole = [2 * n, max(1, ranks / 2) * n]
    part = [n, n]
    first = [mod(rank, 2) * n, rank / 2 * n]
    call MPI_Type_create_subarray(2, whole, part, first, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, block, error)
    call MPI_Type_commit(block, error)
  end subroutine

  ! Every ranks-th element, with gaps of changing width that nobody writes.
  subroutine make_scattered(places)
    HANDLE(MPI_Datatype), intent(out) :: places
    integer :: i, at(scattered)
    at = [(i * ranks + rank + i / 7 * ranks, i = 0, scattered - 1)]
    call MPI_Type_create_indexed_block(scattered, 1, at, MPI_DOUBLE_PRECISION, places, error)
    call MPI_Type_commit(places, error)
  end subroutine

  subroutine write_planes()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: block, places, memory
    HANDLE(MPI_Request) :: request
    STATUS_TYPE :: status
    double precision :: plane(n * n), loose(2 * scattered)
    double precision, asynchronous :: rest(n * n - 2 * n)
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: addresses(1)
    integer :: i, moved
    plane = [(value(1, i), i = 1, n * n)]
    loose = -1
    loose(1::2) = [(value(2, i), i = 1, scattered)]
    call make_block(block)
    call make_scattered(places)
    call MPI_File_open(MPI_COMM_WORLD, trim(path), ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, error)
    call check(error == MPI_SUCCESS, 1)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, block, 'native', MPI_INFO_NULL, error)
    call check(error == MPI_SUCCESS, 2)
    ! In three parts: blocking, split, nonblocking.
    call MPI_File_write_all(file, plane, n, MPI_DOUBLE_PRECISION, status, error)
    call check(error == MPI_SUCCESS, 3)
    call MPI_File_write_all_begin(file, plane(n + 1:2 * n), n, MPI_DOUBLE_PRECISION, error)
    call check(error == MPI_SUCCESS, 7)
    call MPI_File_write_all_end(file, plane(n + 1:2 * n), status, error)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, moved, error)
    call check(moved == n, 8)
    rest = plane(2 * n + 1:)
    call MPI_File_iwrite_all(file, rest, n * n - 2 * n, MPI_DOUBLE_PRECISION, request, error)
    call check(error == MPI_SUCCESS, 9)
    call MPI_Wait(request, status, error)
    call check(error == MPI_SUCCESS, 10)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, moved, error)
    call check(moved == n * n - 2 * n, 4)
    call MPI_File_get_position(file, position, error)
    call check(position == n * n, 5)

    ! Memory by absolute addresses: Fortran's MPI_BOTTOM and MPI_STATUS_IGNORE are not C's.
    call MPI_Get_address(loose, addresses(1), error)
    call MPI_Type_vector(scattered, 1, 2, MPI_DOUBLE_PRECISION, memory, error)
    call MPI_Type_create_hindexed(1, [1], addresses, memory, memory, error)
    call MPI_Type_commit(memory, error)
    call MPI_File_set_view(file, bytes_of_plane(), MPI_DOUBLE_PRECISION, places, 'native', MPI_INFO_NULL, error)
    call MPI_File_write_at_all(file, 0_MPI_OFFSET_KIND, MPI_BOTTOM, 1, memory, MPI_STATUS_IGNORE, error)
    call check(error == MPI_SUCCESS, 6)
    call MPI_File_close(file, error)
    call MPI_Type_free(block, error)
    call MPI_Type_free(places, error)
    call MPI_Type_free(memory, error)
  end subroutine

  subroutine read_planes()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: block, places
    STATUS_TYPE :: status
    double precision :: plane(n * n), single(scattered)
    integer :: i, moved
    plane = 0
    single = 0
    call make_block(block)
    call make_scattered(places)
    call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_RDONLY, MPI_INFO_NULL, file, error)
    call check(error == MPI_SUCCESS, 11)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, block, 'native', MPI_INFO_NULL, error)
    call MPI_File_read_at_all(file, 0_MPI_OFFSET_KIND, plane, n * n, MPI_DOUBLE_PRECISION, status, error)
    call check(error == MPI_SUCCESS, 12)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, moved, error)
    call check(moved == n * n, 13)
    call check(all(plane == [(value(1, i), i = 1, n * n)]), 14)
    call MPI_File_set_view(file, bytes_of_plane(), MPI_DOUBLE_PRECISION, places, 'native', MPI_INFO_NULL, error)
    call MPI_File_read_all(file, single, scattered, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, error)
    call check(error == MPI_SUCCESS, 15)
    call check(all(single == [(value(2, i), i = 1, scattered)]), 16)
    call MPI_File_close(file, error)
    call MPI_Type_free(block, error)
    call MPI_Type_free(places, error)
  end subroutine
end program
