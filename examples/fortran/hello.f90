! Each rank has a block of columns of a field, within a halo that stays out of the file: hello FILE
program hello
  use collio
  use mpi
  use, intrinsic :: iso_fortran_env, only: int64, real32
  implicit none
  integer, parameter :: rows = 6, mine = 3
  real(real32), asynchronous :: field(0:rows + 1, 0:mine + 1)
  type(collio_file) :: file
  type(collio_decomposition) :: cells
  type(collio_variable) :: variable
  character(256) :: path
  integer :: rank, ranks, ierr, row, column, wrong

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  path = 'hello.raw'
  if (command_argument_count() > 0) call get_command_argument(1, path)

  field = -1
  do column = 1, mine
    field(1:rows, column) = [(value_at(row, rank*mine + column), row=1, rows)]
  end do

  call collio_open(MPI_COMM_WORLD, path, COLLIO_WRITE + COLLIO_CREATE + COLLIO_TRUNCATE, '', file)
  call collio_box([rows, mine*ranks], [1, rank*mine + 1], [rows, mine], cells)
  call collio_define(file, cells, storage_size(field)/8, 0, 0, variable)
  call collio_put(variable, 1, field(1:rows, 1:mine))
  call collio_commit(file)
  call collio_close(file)
  call collio_free(cells)

  wrong = 0
  if (rank == 0) wrong = wrong_values()
  call MPI_Finalize(ierr)
  if (wrong > 0) error stop 'hello: values in the file are wrong'

contains

  real(real32) pure function value_at(row, column)
    integer, intent(in) :: row, column
    value_at = 100*column + row
  end function

  integer function wrong_values()
    real(real32) :: there(rows, mine*ranks)
    integer :: unit, i, j
    open (newunit=unit, file=trim(path), access='stream', form='unformatted', status='old')
    read (unit) there
    close (unit)
    wrong_values = count(there /= reshape([((value_at(i, j), i=1, rows), j=1, mine*ranks)], shape(there)))
    print '(a, i0, a)', 'hello: ', wrong_values, ' values are wrong'
  end function
end program
