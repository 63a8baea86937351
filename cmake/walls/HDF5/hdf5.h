/* hdf5.h: found before HDF5's own by rooms that are to do without it. Room: cmake. */
#error "HDF5 is for io/hdf5 and the formats that see it: see docs/architecture.md"
