/* device_error.c: OpenCL's error numbers as words.
 * Room: core/device. */
#include "device_cl.h"
#include <stdarg.h>
#include <stdio.h>

typedef struct error_word {
    cl_int code;
    const char *word;
} error_word;

#define WORD(name)                                                                                 \
    {                                                                                              \
        name, #name                                                                                \
    }

static const error_word error_words[] = {
    WORD(CL_SUCCESS),
    WORD(CL_DEVICE_NOT_FOUND),
    WORD(CL_DEVICE_NOT_AVAILABLE),
    WORD(CL_COMPILER_NOT_AVAILABLE),
    WORD(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    WORD(CL_OUT_OF_RESOURCES),
    WORD(CL_OUT_OF_HOST_MEMORY),
    WORD(CL_PROFILING_INFO_NOT_AVAILABLE),
    WORD(CL_MEM_COPY_OVERLAP),
    WORD(CL_BUILD_PROGRAM_FAILURE),
    WORD(CL_MAP_FAILURE),
    WORD(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    WORD(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    WORD(CL_COMPILE_PROGRAM_FAILURE),
    WORD(CL_LINKER_NOT_AVAILABLE),
    WORD(CL_LINK_PROGRAM_FAILURE),
    WORD(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    WORD(CL_INVALID_VALUE),
    WORD(CL_INVALID_DEVICE_TYPE),
    WORD(CL_INVALID_PLATFORM),
    WORD(CL_INVALID_DEVICE),
    WORD(CL_INVALID_CONTEXT),
    WORD(CL_INVALID_QUEUE_PROPERTIES),
    WORD(CL_INVALID_COMMAND_QUEUE),
    WORD(CL_INVALID_HOST_PTR),
    WORD(CL_INVALID_MEM_OBJECT),
    WORD(CL_INVALID_BINARY),
    WORD(CL_INVALID_BUILD_OPTIONS),
    WORD(CL_INVALID_PROGRAM),
    WORD(CL_INVALID_PROGRAM_EXECUTABLE),
    WORD(CL_INVALID_KERNEL_NAME),
    WORD(CL_INVALID_KERNEL_DEFINITION),
    WORD(CL_INVALID_KERNEL),
    WORD(CL_INVALID_ARG_INDEX),
    WORD(CL_INVALID_ARG_VALUE),
    WORD(CL_INVALID_ARG_SIZE),
    WORD(CL_INVALID_KERNEL_ARGS),
    WORD(CL_INVALID_WORK_DIMENSION),
    WORD(CL_INVALID_WORK_GROUP_SIZE),
    WORD(CL_INVALID_WORK_ITEM_SIZE),
    WORD(CL_INVALID_GLOBAL_OFFSET),
    WORD(CL_INVALID_EVENT_WAIT_LIST),
    WORD(CL_INVALID_EVENT),
    WORD(CL_INVALID_OPERATION),
    WORD(CL_INVALID_BUFFER_SIZE),
    WORD(CL_INVALID_GLOBAL_WORK_SIZE),
    WORD(CL_INVALID_PROPERTY),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

const char *ct_device_error(cl_int code)
{
    for (size_t i = 0; i < sizeof error_words / sizeof *error_words; i++)
        if (error_words[i].code == code) return error_words[i].word;
    return "an error without a name";
}

ct_status ct_device_fail(ct_error *err, cl_int code, const char *doing, ...)
{
    char what[512];
    va_list list;
    va_start(list, doing);
    ct_number_print_args(what, sizeof what, doing, list);
    va_end(list);
    return ct_error_add(err, CT_FAILED, "%s: %s (%d)", what, ct_device_error(code), (int)code);
}
