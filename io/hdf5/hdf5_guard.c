/* hdf5_guard.c: see hdf5_guard.h.
 * Room: io/hdf5. Knows HDF5's errors. Does not know files. */
#ifdef CT_HAVE_HDF5
#include "hdf5_guard.h"
#include <pthread.h>

static pthread_mutex_t *guard_lock(void)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    return &one;
}

ct_hdf5_guard ct_hdf5_enter(void)
{
    ct_hdf5_guard guard = {0};
    pthread_mutex_lock(guard_lock());
    H5Eget_auto2(H5E_DEFAULT, &guard.say, &guard.of);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return guard;
}

void ct_hdf5_leave(ct_hdf5_guard guard)
{
    H5Eset_auto2(H5E_DEFAULT, guard.say, guard.of);
    pthread_mutex_unlock(guard_lock());
}

#endif
