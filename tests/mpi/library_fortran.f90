! Module collio: arrays of any type, rank and stride get to the file as Fortran's own stream output has them.
program library_fortran
  use collio
  use mpi
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int16, int32, int64, real32, real64
  implicit none

  type cell
    real(real32) :: low
    complex(real64) :: wave
    integer(int16) :: mark(3)
  end type

  integer, parameter :: modes = COLLIO_READ + COLLIO_WRITE + COLLIO_CREATE + COLLIO_TRUNCATE
  character(:), allocatable :: path
  integer :: rank, ranks, ierr, failures = 0

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  path = argument()
  call sections()
  call types()
  call maps_and_records()
  call lists()
  call saved()
  call epochs()
  call errors()
  call MPI_Allreduce(MPI_IN_PLACE, failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) open (newunit=ierr, file=path)
  if (rank == 0) close (ierr, status='delete')
  if (rank == 0) print '(a, i0, a)', 'library_fortran: ', failures, ' failures'
  call MPI_Finalize(ierr)
  if (failures > 0) error stop 1

contains

  ! The file, and none of another test's.
  function argument() result(path)
    character(:), allocatable :: path
    integer :: length
    call get_command_argument(1, length=length)
    allocate (character(length) :: path)
    call get_command_argument(1, path)
  end function

  subroutine check(good, what)
    logical, intent(in) :: good
    character(*), intent(in) :: what
    if (good) return
    failures = failures + 1
    write (error_unit, '(a, i0, 2a)') 'rank ', rank, ': ', what
  end subroutine

  real(real32) elemental function value_at(i, j, k)
    integer, intent(in) :: i, j, k
    value_at = real(i + 100*j + 10000*k)
  end function

  ! A box of an array of three dimensions, from sections of every kind, and back into others.
  subroutine sections()
    integer, parameter :: ni = 5, nj = 3, nk = 2
    real(real32), asynchronous :: wide(0:2*ni, nj + 2, nk), reversed(ni, nj, nk), back(nk, ni + 1, nj)
    real(real32), allocatable, asynchronous :: there(:, :, :)
    real(real32) :: mine(ni, nj, nk)
    type(collio_file) :: file
    type(collio_decomposition) :: box
    type(collio_variable) :: first, second
    integer :: i, j, k, unit
    mine = reshape([(((value_at(i, j + nj*rank, k), i=1, ni), j=1, nj), k=1, nk)], shape(mine))
    wide = -1
    wide(1:2*ni:2, 2:nj + 1, :) = mine
    reversed(ni:1:-1, :, nk:1:-1) = mine
    call collio_open(MPI_COMM_WORLD, path, modes, '', file)
    call collio_box([ni, nj*ranks, nk], [1, nj*rank + 1, 1], [ni, nj, nk], box)
    call collio_define(file, box, 4, 0, 0, first)
    call collio_define(file, box, 4, 4*ni*nj*ranks*nk, 0, second)
    call collio_free(box)
    call collio_put(first, 1, wide(1:2*ni:2, 2:nj + 1, :))
    call collio_put(second, 1, reversed(ni:1:-1, :, nk:1:-1))
    call collio_commit(file)
    back = -1
    do k = 1, nk  ! dimensions the other way round
      call get_plane(file, back(k, 2:, :), k)
    end do
    call collio_fetch(file)
    do k = 1, nk
      call check(all(back(k, 2:, :) == mine(:, :, k)) .and. all(back(k, 1, :) == -1), 'a plane that was read')
    end do
    call collio_close(file)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    allocate (there(ni, nj*ranks, nk))
    open (newunit=unit, file=path, access='stream', form='unformatted', status='old', action='read')
    do i = 1, 2
      read (unit) there
      call check(all(there(:, nj*rank + 1:nj*rank + nj, :) == mine), merge('of a wide array  ', 'of a reversed one', i == 1))
    end do
    close (unit)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine get_plane(file, plane, k)
    type(collio_file), intent(in) :: file
    real(real32), intent(inout), asynchronous :: plane(:, :)
    integer, intent(in) :: k
    type(collio_decomposition) :: box
    type(collio_variable) :: variable
    integer :: ni, nj
    ni = size(plane, 1)
    nj = size(plane, 2)
    call collio_box([ni, nj*ranks, 2], [1, nj*rank + 1, k], [ni, nj, 1], box)
    call collio_define(file, box, 4, 0, 0, variable)
    call collio_free(box)
    call collio_get(variable, 1, plane)
  end subroutine

  ! Components of derived types, scalars, characters, pointers, elements of several parts, allocatable and assumed-size arrays.
  subroutine types()
    integer, parameter :: n = 4
    type(cell), target, asynchronous :: cells(n), back(n)
    character(3), asynchronous :: names(n), names_back(n)
    integer(int64), pointer, asynchronous :: numbers(:)
    integer(int64), asynchronous :: plain(2*n)
    real(real64), asynchronous :: scalar, scalar_back
    integer(int8), allocatable, asynchronous :: small(:, :), small_back(:, :)
    type(collio_file) :: file
    type(collio_request) :: request
    integer(int64) :: bytes, from
    integer :: i
    logical :: done
    do i = 1, n
      cells(i) = cell(real(i + rank), cmplx(i, rank, real64), int(i + [10, 20, 30]*rank, int16))
      write (names(i), '(i3)') 10*rank + i
    end do
    allocate (numbers(2*n), small(2, 2))
    numbers = [(int(i, int64)**9*(rank + 1), i=1, 2*n)]
    plain = numbers + 1
    scalar = rank + 0.25_real64
    small = int(rank, int8)
    back = cell(-1, -1, -1)
    small_back = small - 1_int8
    call collio_open(MPI_COMM_WORLD, path, modes, 'cb_nodes=1', file)
    from = 0
    call collio_put(variable_of(file, n, 4, from), 1, cells%low)
    call collio_put(variable_of(file, n, 16, from), 1, cells%wave)
    call collio_put(variable_of(file, n, 2, from), 1, cells(:)%mark(2))
    call collio_put(variable_of(file, n, 3, from), 1, names)
    call collio_put(variable_of(file, n, 8, from), 1, numbers(2*n:2:-2))
    call collio_put(variable_of(file, 1, 8, from), 1_int64, scalar)
    call collio_put(variable_of(file, 4, 1, from), 1, small)
    call collio_put(variable_of(file, 2*n, 8, from), 1, cells%wave)  ! twice as many elements of half the size
    call put_assumed(variable_of(file, 2*n, 8, from), plain)
    call collio_commit(file, request)
    done = .false.
    do while (.not. done)
      call collio_test(request, done)
    end do
    call collio_wait(request, bytes)
    call check(bytes == n*(4 + 16 + 2 + 3 + 8) + 8 + 4 + n*(16 + 16), 'bytes of the commit')
    from = 0
    call collio_get(variable_of(file, n, 4, from), 1, back%low)
    call collio_get(variable_of(file, n, 16, from), 1, back%wave)
    call collio_get(variable_of(file, n, 2, from), 1, back(:)%mark(2))
    call collio_get(variable_of(file, n, 3, from), 1, names_back)
    from = from + 8*n*ranks
    call collio_get(variable_of(file, 1, 8, from), 1_int64, scalar_back)
    call collio_get(variable_of(file, 4, 1, from), 1, small_back)
    call collio_fetch(file)
    call check(all(back%low == cells%low .and. back%wave == cells%wave), 'components')
    call check(all(back%mark(2) == cells%mark(2)) .and. all(back%mark(1) == -1), 'an element of components')
    call check(all(names_back == names), 'characters')
    call check(scalar_back == scalar, 'a scalar')
    call check(all(small_back == small), 'an allocatable array')
    call check_numbers(file, (4 + 16 + 2 + 3)*n, numbers(2*n:2:-2))
    call check_numbers(file, (4 + 16 + 2 + 3 + 8)*n + 8 + 4 + 16*n, plain)
    call collio_close(file)
    deallocate (numbers)
  end subroutine

  subroutine put_assumed(variable, numbers)
    type(collio_variable), intent(in) :: variable
    integer(int64), intent(in), asynchronous :: numbers(*)
    call collio_put(variable, 1, numbers)
  end subroutine

  ! Numbers of this rank behind `per_rank` bytes of every rank.
  subroutine check_numbers(file, per_rank, expected)
    type(collio_file), intent(in) :: file
    integer, intent(in) :: per_rank
    integer(int64), intent(in) :: expected(:)
    integer(int64), asynchronous :: found(size(expected))
    integer(int64) :: from
    from = int(per_rank, int64)*ranks
    call collio_get(variable_of(file, size(found), 8, from), 1, found)
    call collio_fetch(file)
    call check(all(found == expected), 'numbers')
  end subroutine

  ! `n` elements of every rank in turn, from byte `from` on, which becomes the byte behind them.
  function variable_of(file, n, element_bytes, from) result(variable)
    type(collio_file), intent(in) :: file
    integer, intent(in) :: n, element_bytes
    integer(int64), intent(inout) :: from
    type(collio_variable) :: variable
    type(collio_decomposition) :: block
    call collio_box([n*ranks], [n*rank + 1], [n], block)
    call collio_define(file, block, element_bytes, from, 0_int64, variable)
    call collio_free(block)
    from = from + int(n, int64)*element_bytes*ranks
  end function

  subroutine maps_and_records()
    integer, parameter :: n = 6
    integer(int64), asynchronous :: data(n), there(n*ranks)
    type(collio_file) :: file
    type(collio_decomposition) :: dealt
    type(collio_variable) :: variable
    integer(int64) :: bytes
    integer :: map(0:n - 1), i, unit
    map = [(merge(0, i*ranks + rank + 1, i == 2), i=0, n - 1)]  ! the third is not in the array
    call collio_open(MPI_COMM_WORLD, path, modes, '', file)
    call collio_map([2, n/2*ranks], map, dealt)
    call collio_define(file, dealt, 8, 0, 8*n*ranks, variable)
    data = map
    call collio_put(variable, 2, data)
    call collio_commit(file)
    call collio_size(file, bytes)
    call collio_sync(file)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call collio_set_size(file, bytes - 8)
    call collio_close(file)
    call collio_free(dealt)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call check(bytes == 2*8*n*ranks, 'bytes of two records')
    open (newunit=unit, file=path, access='stream', form='unformatted', status='old', action='read')
    read (unit, pos=8*n*ranks + 1) there(:n*ranks - 1)
    close (unit)
    call check(all(there(:n*ranks - 1) == [(merge(0, i, (i - 1)/ranks == 2), i=1, n*ranks - 1)]), 'elements of a map')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine lists()
    integer(int32), asynchronous :: data(3), back(4)
    integer(int64), target :: offsets(2), lengths(2), places(3), fours(3)
    type(collio_file) :: file
    integer(int64) :: bytes
    offsets = 12*rank + [8, 0]
    lengths = [4, 8]
    places = [4, 0, 12]
    fours = 4
    data = 10*rank + [1, 2, 3]
    back = -1
    call collio_open(MPI_COMM_WORLD, path, modes, '', file)
    call collio_write_pieces(file, collio_lists(offsets, lengths), data)
    call collio_read_pieces(file, collio_lists(offsets, lengths, places, fours), back)
    call check(all(back == [data(2), data(1), -1, data(3)]), 'pieces')
    call collio_write_alone(file, collio_lists(offsets, lengths), data, bytes)
    call check(bytes == 12, 'bytes of pieces')
    back = -1
    call collio_read_alone(file, collio_lists(offsets(2:), lengths(2:)), back(3:))
    call check(all(back == [-1, -1, data(2), data(3)]), 'pieces of this rank alone')
    call collio_close(file)
  end subroutine

  subroutine saved()
    type(collio_decomposition) :: dealt, back
    integer :: map(4), code
    integer, allocatable :: found(:)
    integer(int64), allocatable :: wide(:)
    map = [4*rank + 4, 0, 4*rank + 1, 4*rank + 1]
    call collio_map([2, 2*ranks], map, dealt)
    call collio_save(MPI_COMM_WORLD, path//'.map', dealt)
    call collio_load(MPI_COMM_WORLD, path//'.map', back)
    call collio_indices(back, found)
    call check(collio_elements(back) == 4 .and. all(found == map) .and. all(collio_shape(back) == [2, 2*ranks]), 'a saved map')
    call collio_free(back)
    call collio_load(MPI_COMM_WORLD, path//'.map', back, [2, 2*ranks])
    call collio_indices(back, wide)
    call check(all(wide == map), 'a saved map of a known shape')
    call collio_free(back)
    call collio_load(MPI_COMM_WORLD, path//'.map', back, [2_int64, 2_int64*ranks + 1], ierr=code)
    call check(code == COLLIO_ERR_ARGUMENT .and. index(collio_error_text(), ' x 2; the program expects ') > 0, 'another shape')
    call collio_load(MPI_COMM_SELF, path//'.map', back, deal=COLLIO_DEAL_MAPS)
    call check(collio_elements(back) == 4*ranks, 'one rank has all')
    call collio_free(back)
    call collio_free(dealt)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) open (newunit=code, file=path//'.map')
    if (rank == 0) close (code, status='delete')
  end subroutine

  ! Two arrays in turn in one piece of memory: the first is written before the second is put.
  subroutine epochs()
    real(real32), asynchronous :: data(4)
    real(real32) :: there(4*ranks, 2)
    type(collio_file) :: file
    type(collio_variable) :: variables(2)
    integer :: code, last, unit, v
    integer(int64) :: from
    call collio_open(MPI_COMM_WORLD, path, modes, '', file)
    from = 0
    variables(1) = variable_of(file, 4, 4, from)
    variables(2) = variable_of(file, 4, 4, from)
    call collio_declare(file, variables, [1, 1, 1], ierr=code)
    call check(code /= COLLIO_OK, 'not as many records as variables')
    call collio_declare(file, variables, [1_int64, 1_int64], 1)
    call collio_group_end(file, 1, last)
    call check(last == 1, 'the first group')
    do v = 1, 2
      data = v + 10*rank
      call collio_put(variables(v), 1, data)
      if (v == 1) call collio_wait_puts(file, 1)
    end do
    call collio_commit(file)
    call collio_declare(file, variables(:0), [integer ::])
    call collio_close(file)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    open (newunit=unit, file=path, access='stream', form='unformatted', status='old', action='read')
    read (unit) there
    close (unit)
    do v = 1, 2
      call check(all(there(4*rank + 1:4*rank + 4, v) == v + 10*rank), 'an array in turn')
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine errors()
    real(real32), asynchronous :: data(4)
    type(collio_file) :: file
    type(collio_decomposition) :: block
    type(collio_variable) :: variable
    integer :: code
    integer(int64) :: from
    call collio_open(MPI_COMM_WORLD, path//'.absent', COLLIO_READ, '', file, code)
    call check(code == COLLIO_ERR_NO_SUCH_FILE .and. index(collio_error_text(), 'absent') > 0, 'a file that is not there')
    call collio_box([4], [3], [3], block, code)
    call check(code == COLLIO_ERR_ARGUMENT, 'a box beyond the array')
    call collio_open(MPI_COMM_WORLD, path, modes, '', file)
    from = 0
    data = 1
    variable = variable_of(file, 4, 8, from)
    call collio_put(variable, 1, data, code)  ! of half the size
    call check(code == COLLIO_ERR_ARGUMENT, 'data of another kind')
    call collio_put(variable, 1, data(:1), code)
    call check(code == COLLIO_ERR_ARGUMENT, 'too few elements')
    call collio_cancel(file)
    if (rank == 0) call collio_put(variable, 0, data, code)
    call collio_commit(file, ierr=code)
    call check(code == COLLIO_ERR_ARGUMENT, 'a wrong put of one rank')
    call collio_close(file)
    call check(len(collio_version()) >= 5, 'version')
  end subroutine
end program
