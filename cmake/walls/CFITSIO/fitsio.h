/* fitsio.h: found before CFITSIO's own by rooms that are to do without it. Room: cmake. */
#error "CFITSIO is for io/psrfits: see docs/architecture.md"
