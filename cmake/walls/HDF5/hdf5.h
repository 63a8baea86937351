/* hdf5.h: found before HDF5's own by rooms that are to do without it. Room: cmake. */
#error "HDF5 is for io/uvh5: see docs/architecture.md"
