/* one_device.h: the first device, opened once for all of a test program: the compiler of some
 * devices takes half a second to get ready, each time that one is opened.
 *
 * Room: tests. Knows only cornerturn.h. The device stays open until the program ends. */
#ifndef CT_TESTS_ONE_DEVICE_H
#define CT_TESTS_ONE_DEVICE_H
#include "cornerturn.h"

/* NULL, and *err, where there is none. Borrowed. */
static inline ct_device *one_device(ct_error *err)
{
    static ct_device *device;
    if (!device && ct_device_open(&device, NULL, err) != CT_OK) return NULL;
    return device;
}

#endif
