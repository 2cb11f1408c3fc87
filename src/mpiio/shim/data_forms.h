/* What the columns of data_calls.def are in C: the parameters of a call, and the arguments to pass them on.
 */
#ifndef COLLIO_MPIIO_DATA_FORMS_H
#define COLLIO_MPIIO_DATA_FORMS_H

#define COLLIO_PARAMETERS(way, place, ending, Count)                            \
  (MPI_File file, COLLIO_PARAMETER_##place COLLIO_PARAMETER_##way, Count count, \
   MPI_Datatype type COLLIO_PARAMETER_##ending)
#define COLLIO_ARGUMENTS(place, ending) \
  (file, COLLIO_ARGUMENT_##place buffer, count, type COLLIO_ARGUMENT_##ending)
#define COLLIO_END_PARAMETERS(way) (MPI_File file, COLLIO_PARAMETER_##way, MPI_Status * status)
#define COLLIO_END_ARGUMENTS (file, buffer, status)

#define COLLIO_PARAMETER_write const void* buffer
#define COLLIO_PARAMETER_read void* buffer
#define COLLIO_PARAMETER_here
#define COLLIO_PARAMETER_at MPI_Offset offset,
#define COLLIO_PARAMETER_blocking , MPI_Status* status
#define COLLIO_PARAMETER_request , MPI_Request* request
#define COLLIO_PARAMETER_begin
#define COLLIO_ARGUMENT_here
#define COLLIO_ARGUMENT_at offset,
#define COLLIO_ARGUMENT_blocking , status
#define COLLIO_ARGUMENT_request , request
#define COLLIO_ARGUMENT_begin

#endif
