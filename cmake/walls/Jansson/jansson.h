/* jansson.h: found before Jansson's own by rooms that are to do without it. Room: cmake. */
#error "Jansson is for base: use ct_value of the public header, see docs/architecture.md"
