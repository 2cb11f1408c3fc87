/* Parameters of the forms of PnetCDF's data functions, and how a call has them. */
#ifndef COLLIO_PNETCDF_FORMS_H
#define COLLIO_PNETCDF_FORMS_H

#define OFFSETS(name) const MPI_Offset name[]

/* FORMS(each, ...): each(..., suffix, form, parameters, arguments, fields). */
#define FORMS(each, ...)                                                                            \
  each(__VA_ARGS__, var, COLLIO_VAR, (), (), ())                                                    \
      each(__VA_ARGS__, var1, COLLIO_VAR1, (OFFSETS(start), ), (start, ), (.start = start, )) each( \
          __VA_ARGS__, vara, COLLIO_VARA, (OFFSETS(start), OFFSETS(count), ), (start, count, ),     \
          (.start = start, .count = count, ))                                                       \
          each(__VA_ARGS__, vars, COLLIO_VARS, (OFFSETS(start), OFFSETS(count), OFFSETS(stride), ), \
               (start, count, stride, ), (.start = start, .count = count, .stride = stride, ))      \
              each(__VA_ARGS__, varm, COLLIO_VARM,                                                  \
                   (OFFSETS(start), OFFSETS(count), OFFSETS(stride), OFFSETS(imap), ),              \
                   (start, count, stride, imap, ),                                                  \
                   (.start = start, .count = count, .stride = stride, .imap = imap, ))              \
                  each(__VA_ARGS__, varn, COLLIO_VARN,                                              \
                       (int parts, MPI_Offset* const starts[], MPI_Offset* const counts[], ),       \
                       (parts, starts, counts, ), (.parts = parts, .starts = starts, .counts = counts, ))

/* The same of mput and mget. */
#define LISTS(name) MPI_Offset* const name[]
#define SEVERAL_FORMS(each)                                                                                 \
  each(var, COLLIO_VAR, (), (), ())                                                                         \
      each(var1, COLLIO_VAR1, (LISTS(starts), ), (starts, ), (.starts = starts, ))                          \
          each(vara, COLLIO_VARA, (LISTS(starts), LISTS(counts), ), (starts, counts, ),                     \
               (.starts = starts, .counts = counts, ))                                                      \
              each(vars, COLLIO_VARS, (LISTS(starts), LISTS(counts), LISTS(strides), ),                     \
                   (starts, counts, strides, ), (.starts = starts, .counts = counts, .strides = strides, )) \
                  each(varm, COLLIO_VARM, (LISTS(starts), LISTS(counts), LISTS(strides), LISTS(imaps), ),   \
                       (starts, counts, strides, imaps, ),                                                  \
                       (.starts = starts, .counts = counts, .strides = strides, .imaps = imaps, ))

/* TYPES(each, ...): each(..., suffix, type in C, nc_type). */
#define TYPES(each, ...)                                                                  \
  each(__VA_ARGS__, text, char, 2) each(__VA_ARGS__, schar, signed char, 1)               \
      each(__VA_ARGS__, uchar, unsigned char, 7) each(__VA_ARGS__, short, short, 3)       \
          each(__VA_ARGS__, ushort, unsigned short, 8) each(__VA_ARGS__, int, int, 4)     \
              each(__VA_ARGS__, uint, unsigned int, 9) each(__VA_ARGS__, long, long, 10)  \
                  each(__VA_ARGS__, float, float, 5) each(__VA_ARGS__, double, double, 6) \
                      each(__VA_ARGS__, longlong, long long, 10)                          \
                          each(__VA_ARGS__, ulonglong, unsigned long long, 11)

#define LIST(...) __VA_ARGS__

#endif
