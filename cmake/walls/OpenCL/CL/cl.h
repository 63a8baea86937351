/* cl.h: found before OpenCL's own by rooms that are to do without it. Room: cmake. */
#error "OpenCL is for some rooms of core, and stages/fft: see docs/architecture.md"
