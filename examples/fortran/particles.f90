! Particles that memory has as an array of a derived type become arrays in the file, without a copy: particles FILE
program particles
  use collio
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int16, int64, real32
  implicit none
  type particle
    real(real32) :: x, y, z, vx, vy, vz, phi
    integer(int64) :: id
    integer(int16) :: mask
  end type
  integer, parameter :: mine = 1000
  type(particle), target, asynchronous :: p(mine), back(mine)
  type(collio_file) :: file
  type(collio_decomposition) :: block
  type(collio_variable) :: x, id, mask
  type(collio_request) :: request
  character(256) :: path
  integer(int64) :: total
  integer :: rank, ranks, i
  logical :: right

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  path = 'particles.raw'
  if (command_argument_count() > 0) call get_command_argument(1, path)
  total = int(mine, int64)*ranks
  p = [(particle(real(i), 2, 3, 4, 5, 6, 7.5, rank*mine + i, int(mod(i, 100), int16)), i=1, mine)]
  back = particle(0, 2, 3, 4, 5, 6, 7.5, 0, 0)

  ! In the file: x of all particles, then id, then mask.
  call collio_open(MPI_COMM_WORLD, path, COLLIO_READ + COLLIO_WRITE + COLLIO_CREATE, '', file)
  call collio_box([total], [rank*int(mine, int64) + 1], [int(mine, int64)], block)
  call collio_define(file, block, 4, 0_int64, 0_int64, x)
  call collio_define(file, block, 8, 4*total, 0_int64, id)
  call collio_define(file, block, 2, 12*total, 0_int64, mask)
  call collio_put(x, 1, p%x)
  call collio_put(id, 1, p%id)
  call collio_put(mask, 1, p%mask)
  call collio_commit(file, request)
  call collio_wait(request)

  call collio_get(x, 1, back%x)
  call collio_get(id, 1, back%id)
  call collio_get(mask, 1, back%mask)
  call collio_fetch(file)
  call collio_close(file)
  call collio_free(block)

  right = all(back%x == p%x .and. back%id == p%id .and. back%mask == p%mask)
  if (rank == 0) print '(2a)', 'particles: ', merge('the same', 'WRONG   ', right)
  call MPI_Finalize()
  if (.not. right) error stop 1
end program
