/* cl.h: found before OpenCL's own by rooms that are to do without it. Room: cmake. */
#error "OpenCL is for core/device, core/ranks, core/program, core/run and stages/fft: see docs/architecture.md"
