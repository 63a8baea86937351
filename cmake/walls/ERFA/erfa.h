/* erfa.h: found before ERFA's own by rooms that are to do without it. Room: cmake. */
#error "ERFA is for core/sky: see docs/architecture.md"
