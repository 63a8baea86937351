/* device.c: finds a device that is there and keeps its context, queue and limits.
 * Room: core/device. Knows OpenCL's platforms. Does not know programs, plans or devices' files. */
#include "device_inner.h"
#include "device_transfers.h"
#include "fail.h"
#include "json_text.h"
#include "memory.h"
#include "text.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES 64 /* most devices that are looked at */

typedef struct device_found {
    cl_platform_id platform;
    cl_device_id id;
    char name[128], platform_name[128];
    bool cpu;
    cl_int code; /* of the first question that it does not answer */
} device_found;

typedef struct device_all {
    device_found device[DEVICES];
    int count;
    cl_int code; /* why a platform has none; CL_SUCCESS where all have some */
    int platforms;
} device_all;

/* Drivers pad names with blanks. */
static void device_trim(char *text)
{
    size_t length = strlen(text), blanks = strspn(text, " ");
    memmove(text, text + blanks, length - blanks + 1);
    for (length -= blanks; length && isspace((unsigned char)text[length - 1]); length--)
        text[length - 1] = 0;
}

/* "unknown" where the device does not say. */
static cl_int device_text(cl_device_id id, cl_device_info what, char out[128])
{
    char text[1024] = "";
    cl_int code = clGetDeviceInfo(id, what, sizeof text, text, NULL);
    if (code != CL_SUCCESS) snprintf(text, sizeof text, "unknown");
    device_trim(text);
    snprintf(out, 128, "%.127s", text);
    return code;
}

static ct_status device_fail_asked(const char *name, const char *what, cl_int code, ct_error *err)
{
    return ct_error_add(err, CT_NO_DEVICE, "device \"%s\" does not say its %s: %s (%d)", name, what,
                        ct_device_error(code), (int)code);
}

/* Sets the limits of `out`, of a device with this name. */
static ct_status device_ask(ct_device *out, cl_device_id id, const char *name, ct_error *err)
{
    for (const ct_device_limit *limit = ct_device_limits; limit->name; limit++) {
        cl_ulong number = 0;
        cl_int code = clGetDeviceInfo(id, limit->what, limit->size, &number, NULL);
        if (code != CL_SUCCESS) return device_fail_asked(name, limit->words, code, err);
        *ct_device_limit_of(out, limit) = (int64_t)number;
    }
    cl_int code = device_text(id, CL_DRIVER_VERSION, out->driver);
    return code == CL_SUCCESS ? CT_OK : device_fail_asked(name, "driver's version", code, err);
}

static void device_platform_name(cl_platform_id platform, char out[128])
{
    char text[1024] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL);
    device_trim(text);
    snprintf(out, 128, "%.127s", text);
}

static void device_scan_platform(device_all *all, cl_platform_id platform)
{
    cl_device_id ids[DEVICES];
    cl_uint count = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, ids, &count);
    if (code != CL_SUCCESS) {
        all->code = code;
        return;
    }
    for (cl_uint i = 0; i < count && i < DEVICES && all->count < DEVICES; i++) {
        device_found *found = &all->device[all->count++];
        cl_device_type type = CL_DEVICE_TYPE_DEFAULT;
        found->platform = platform;
        found->id = ids[i];
        found->code = device_text(ids[i], CL_DEVICE_NAME, found->name);
        device_platform_name(platform, found->platform_name);
        cl_int answer = clGetDeviceInfo(ids[i], CL_DEVICE_TYPE, sizeof type, &type, NULL);
        if (found->code == CL_SUCCESS) found->code = answer;
        found->cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    }
}

/* PoCL hides its device where it cannot write its cache. */
static const char *device_cache_hint(void)
{
    return "; PoCL gives this where it cannot write its kernel cache: make ~/.cache writable or "
           "set POCL_CACHE_DIR to a folder that is";
}

static ct_status device_fail_none(const device_all *all, ct_error *err)
{
    if (all->platforms == 0)
        return ct_error_add(err, CT_NO_DEVICE,
                            "no OpenCL platform was found: install one (on Debian: apt install "
                            "pocl-opencl-icd for the CPU, or your GPU vendor's driver)");
    return ct_error_add(err, CT_NO_DEVICE, "the OpenCL platform has no usable device: %s (%d)%s",
                        ct_device_error(all->code), (int)all->code, device_cache_hint());
}

/* Loaders and drivers begin with the first question of a process, and some of them crash or show no
 * device where two threads ask it at once. So only one asks, of whichever context: the lock is as
 * global as what it guards. */
static ct_status device_scan(device_all *all, ct_error *err)
{
    static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
    cl_platform_id platforms[16];
    cl_uint count = 0;
    sigset_t before;
    memset(all, 0, sizeof *all);
    all->code = CL_DEVICE_NOT_FOUND;
    ct_device_signals_block(&before);
    pthread_mutex_lock(&asking);
    cl_int code = clGetPlatformIDs(16, platforms, &count);
    all->platforms = code == CL_SUCCESS ? (int)count : 0;
    for (cl_uint i = 0; i < count && i < 16 && code == CL_SUCCESS; i++)
        device_scan_platform(all, platforms[i]);
    pthread_mutex_unlock(&asking);
    ct_device_signals_restore(&before);
    return all->count ? CT_OK : device_fail_none(all, err);
}

/* Which one is chosen depends on what all of them are. */
static ct_status device_check_found(const device_all *all, ct_error *err)
{
    for (int i = 0; i < all->count; i++)
        if (all->device[i].code != CL_SUCCESS)
            return device_fail_asked(all->device[i].name, "name and type", all->device[i].code,
                                     err);
    return CT_OK;
}

/* ---- choosing one */

static bool device_holds(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length) return true;
    }
    return false;
}

static bool device_any_cpu(const device_all *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->device[i].cpu) return true;
    return false;
}

static bool device_is_meant(const device_all *all, int i, const char *name)
{
    const device_found *device = &all->device[i];
    char *end;
    if (!name || !name[0]) return device->cpu || !device_any_cpu(all);
    const long number = strtol(name, &end, 10);
    if (!*end) return number == i;
    return device_holds(device->name, name) || device_holds(device->platform_name, name);
}

/* Of those that are meant, `nth` in a circle; -1: none is. */
static int device_choose(const device_all *all, const char *name, int nth)
{
    int meant[DEVICES], count = 0;
    for (int i = 0; i < all->count; i++)
        if (device_is_meant(all, i, name)) meant[count++] = i;
    return count > 0 ? meant[nth % count] : -1;
}

/* A device's name is long; people misspell one word of it or the platform's name. */
static const char *device_nearest(const device_all *all, const char *name, char words[],
                                  size_t size)
{
    const char *choices[DEVICES] = {NULL};
    int count = 0;
    size_t used = 0;
    for (int i = 0; i < all->count; i++) {
        int wrote = snprintf(words + used, size - used, "%s %s", all->device[i].platform_name,
                             all->device[i].name);
        used += wrote > 0 && (size_t)wrote < size - used ? (size_t)wrote + 1 : 0;
    }
    for (size_t i = 0; i < used; i++)
        words[i] = strchr(" -,()", words[i]) ? 0 : words[i];
    for (size_t i = 0; i < used && count < DEVICES - 1; i += strlen(words + i) + 1)
        if (words[i]) choices[count++] = words + i;
    return ct_suggest_nearest(name, choices);
}

static ct_status device_fail_name(const device_all *all, const char *name, ct_error *err)
{
    ct_text list = {0};
    char words[2048];
    const char *nearest = device_nearest(all, name, words, sizeof words);
    ct_status status;
    for (int i = 0; i < all->count; i++)
        ct_text_add(&list, "%s%d \"%s\" (%s)", i ? ", " : "", i, all->device[i].name,
                    all->device[i].platform_name);
    status =
        ct_error_add(err, CT_NO_DEVICE, "there is no device \"%s\"; there %s %s%s%s%s", name,
                     all->count == 1 ? "is" : "are", list.data, nearest ? "; did you mean \"" : "",
                     nearest ? nearest : "", nearest ? "\"?" : "");
    ct_text_free(&list);
    return status;
}

/* ---- opening */

static ct_status device_connect(ct_device *device, ct_error *err)
{
    cl_int code;
    sigset_t before;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                          (cl_context_properties)device->platform, 0};
    ct_device_signals_block(&before);
    device->context = clCreateContext(properties, 1, &device->id, NULL, NULL, &code);
    ct_device_signals_restore(&before);
    if (code != CL_SUCCESS) return ct_device_fail(err, code, "opening device \"%s\"", device->name);
    device->queue =
        clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS)
        return ct_device_fail(err, code, "making a queue on device \"%s\"", device->name);
    return ct_device_ask_memory(device, err);
}

ct_status ct_device_open_found(ct_device **out, const char *name, int nth, ct_error *err)
{
    ct_status status = CT_OK;
    device_all *all = ct_memory_get(sizeof *all);
    ct_device *device = NULL;
    int place;
    CT_NEED(all, sizeof *all, err);
    CT_TRY(device_scan(all, err));
    CT_TRY(device_check_found(all, err));
    place = device_choose(all, name, nth);
    if (place < 0) CT_TRY(device_fail_name(all, name, err));
    device = ct_memory_get(sizeof *device);
    CT_NEED(device, sizeof *device, err);
    device->platform = all->device[place].platform;
    device->id = all->device[place].id;
    device->gpu = !all->device[place].cpu;
    memcpy(device->name, all->device[place].name, sizeof device->name);
    memcpy(device->platform_name, all->device[place].platform_name, sizeof device->platform_name);
    CT_TRY(device_ask(device, device->id, device->name, err));
    device->of_class = ct_device_class_here(device->gpu, device->platform_name, device->name);
    CT_TRY(device_connect(device, err));
    CT_TRY(ct_device_add_transfers(device, err));
    device->probes = ct_memory_get(sizeof *device->probes);
    CT_NEED(device->probes, sizeof *device->probes, err);
    pthread_mutex_init(&device->probing, NULL);
out:
    ct_memory_free(all);
    if (status != CT_OK) {
        ct_device_free(device);
        device = NULL;
    }
    *out = device;
    return status;
}

ct_status ct_device_check(const ct_device *device, ct_error *err)
{
    CT_GIVEN(err, device);
    if (!device->described) return CT_OK;
    return ct_error_add(err, CT_NO_DEVICE,
                        "%s only describes device \"%s\": nothing can run on it; explain, source, "
                        "validate and tune --dry-run take a description",
                        device->described->file, device->name);
}

ct_status ct_device_beside(ct_device **out, const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    cl_int code = CL_SUCCESS;
    ct_device *other = ct_memory_get(sizeof *other);
    CT_NEED(other, sizeof *other, err);
    *other = *device;
    other->refcount = (ct_refcount){0};
    other->queue = other->sending = other->fetching = NULL;
    other->probes = NULL;
    if (device->as) ct_device_retain(device->as);
    clRetainContext(other->context);
    other->queue =
        clCreateCommandQueue(other->context, other->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS)
        CT_TRY(ct_device_fail(err, code, "making another queue on device \"%s\"", other->name));
    CT_TRY(ct_device_add_transfers(other, err));
    other->probes = ct_memory_get(sizeof *other->probes);
    CT_NEED(other->probes, sizeof *other->probes, err);
    pthread_mutex_init(&other->probing, NULL);
    *out = other;
    other = NULL;
out:
    ct_device_free(other);
    return status;
}

ct_device *ct_device_retain(ct_device *device)
{
    ct_refcount_retain(&device->refcount);
    return device;
}

void ct_device_free(ct_device *device)
{
    if (!device || !ct_refcount_release(&device->refcount)) return;
    if (device->probes) pthread_mutex_destroy(&device->probing);
    ct_memory_free(device->probes);
    if (device->fetching) clReleaseCommandQueue(device->fetching);
    if (device->sending) clReleaseCommandQueue(device->sending);
    if (device->queue) clReleaseCommandQueue(device->queue);
    if (device->context) clReleaseContext(device->context);
    ct_device_free(device->as);
    ct_arena_free(device->arena);
    ct_memory_free(device);
}

const char *ct_device_name(const ct_device *device)
{
    return device ? device->name : "";
}

static void device_list_one(ct_text *out, int place, const device_found *found, ct_device *asked)
{
    ct_text_add(out, "%d  %s  (%s, %s)  %lld compute units, %lld MiB, local memory %lld KiB\n",
                place, found->name, found->platform_name, asked->driver,
                (long long)asked->compute_units, (long long)asked->global_bytes >> 20,
                (long long)asked->local_bytes >> 10);
}

static void device_list_json(ct_text *out, int place, const device_found *found, ct_device *asked)
{
    ct_json_open(out, NULL, '{');
    ct_json_add_int(out, "number", place);
    ct_json_add_text(out, "name", found->name);
    ct_json_add_text(out, "platform", found->platform_name);
    ct_json_add_text(out, "version", asked->driver);
    ct_json_add_bool(out, "cpu", found->cpu);
    for (const ct_device_limit *limit = ct_device_limits; limit->name; limit++)
        ct_json_add_int(out, limit->name, *ct_device_limit_of(asked, limit));
    ct_json_close(out, '}');
}

/* As the device's version, which lists name, instead of its driver's. */
static ct_status device_ask_listed(ct_device *out, const device_found *found, ct_error *err)
{
    ct_status status = device_ask(out, found->id, found->name, err);
    cl_int code = device_text(found->id, CL_DEVICE_VERSION, out->driver);
    if (status != CT_OK || code == CL_SUCCESS) return status;
    return device_fail_asked(found->name, "version", code, err);
}

ct_status ct_device_list(ct_text *out, ct_form form, ct_error *err)
{
    ct_status status = CT_OK;
    device_all *all = ct_memory_get(sizeof *all);
    ct_device *asked = ct_memory_get(sizeof *asked); /* only its limits */
    CT_NEED(all, sizeof *all, err);
    CT_NEED(asked, sizeof *asked, err);
    if (form != CT_FORM_TEXT && form != CT_FORM_JSON)
        CT_TRY(ct_error_add(err, CT_USAGE, "devices are listed as text or JSON"));
    CT_TRY(device_scan(all, err));
    CT_TRY(device_check_found(all, err));
    if (form == CT_FORM_JSON) ct_json_open(out, NULL, '[');
    for (int i = 0; i < all->count; i++) {
        CT_TRY(device_ask_listed(asked, &all->device[i], err));
        (form == CT_FORM_JSON ? device_list_json : device_list_one)(out, i, &all->device[i], asked);
    }
    if (form == CT_FORM_JSON) ct_text_add(out, "]\n");
out:
    ct_memory_free(asked);
    ct_memory_free(all);
    return status;
}
