/* device_file.c: a device that is not there, as a file describes it.
 * Room: core/device. Knows the file's keys, read and written. Does not know who asks the device
 * what. */
#include "description.h"
#include "device_inner.h"
#include "fail.h"
#include "file.h"
#include "json_text.h"
#include "memory.h"
#include "suggest.h"
#include "text.h"
#include "word.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FILE_VERSION = 1 };

typedef struct file_reader {
    ct_description description; /* where mistakes are */
    ct_device *device;
    ct_error *err;
    bool wrong;
} file_reader;

/* A key, what takes its value, and where that goes. */
typedef struct file_key {
    const char *name;
    void (*take)(file_reader *, const ct_value *, const char *pointer, void *out);
    size_t place;
    bool needed;
} file_key;

static void file_say(file_reader *reader, const char *pointer, bool key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void file_say(file_reader *reader, const char *pointer, bool key, const char *format, ...)
{
    char sentence[1024];
    va_list list;
    va_start(list, format);
    ct_number_print_args(sentence, sizeof sentence, format, list);
    va_end(list);
    (void)ct_description_fail(&reader->description, pointer, key, reader->err, sentence);
    reader->wrong = true;
}

static void file_say_expected(file_reader *reader, const ct_value *value, const char *pointer,
                              const char *expected)
{
    static const char *const kinds[] = {"null",   "true or false", NULL,       NULL,
                                        "a text", "a list",        "an object"};
    char number[40];
    const ct_kind kind = ct_value_kind(value);
    if (kind == CT_INT || kind == CT_REAL)
        ct_number_print(number, sizeof number, "%.17g", ct_value_real(value, 0));
    if (kind == CT_TEXT)
        file_say(reader, pointer, false, "expected %s, found \"%.60s\"", expected,
                 ct_value_text(value, ""));
    else
        file_say(reader, pointer, false, "expected %s, found %s", expected,
                 kinds[kind] ? kinds[kind] : number);
}

/* ---- values */

static void take_version(file_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    (void)out;
    if (ct_value_kind(value) != CT_INT || ct_value_int(value, 0) != FILE_VERSION)
        file_say_expected(reader, value, pointer, "1, the version of such files");
}

static void take_comment(file_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    (void)out;
    if (!ct_value_text(value, NULL)) file_say_expected(reader, value, pointer, "a text");
}

/* Into an array of 128 letters. */
static void take_name(file_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const char *text = ct_value_text(value, "");
    if (!*text || strlen(text) > 127)
        file_say_expected(reader, value, pointer, "a text of 1 to 127 bytes");
    else
        snprintf(out, 128, "%s", text);
}

static void take_kind(file_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const char *text = ct_value_text(value, "");
    *(bool *)out = strcmp(text, "gpu") == 0;
    if (strcmp(text, "gpu") != 0 && strcmp(text, "cpu") != 0)
        file_say_expected(reader, value, pointer, "\"cpu\" or \"gpu\"");
}

static void take_class(file_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    char word[64], near[CT_SUGGEST_SAY];
    const char *names[sizeof(ct_device_class) * 8 + 1] = {NULL};
    const char *text = ct_value_text(value, "");
    if (!*text) file_say_expected(reader, value, pointer, "words, such as \"cpu pocl amd avx512\"");
    for (int n = 0; ct_device_class_word(n); n++)
        names[n] = ct_device_class_word(n);
    for (int n = 0; ct_word_at(text, n, word, sizeof word); n++) {
        const ct_device_class bit = ct_device_class_find(word, strlen(word));
        *(ct_device_class *)out |= bit;
        if (!bit)
            file_say(reader, pointer, false, "unknown word \"%s\"%s", word,
                     ct_suggest_say(near, word, names));
    }
}

static void take_number(file_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(int64_t *)out = ct_value_int(value, 0);
    if (ct_value_int(value, 0) < 1)
        file_say_expected(reader, value, pointer, "a whole number, 1 or more");
}

static void take_list(file_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const size_t count = ct_value_count(value);
    const char **list = ct_arena_get(reader->device->arena, (count + 1) * sizeof *list);
    if (ct_value_kind(value) != CT_LIST) {
        file_say_expected(reader, value, pointer, "a list of texts");
        return;
    }
    for (size_t i = 0; list && i < count; i++) {
        char place[64];
        snprintf(place, sizeof place, "%s/%zu", pointer, i);
        const char *text = ct_value_text(ct_value_at(value, i), "");
        if (!*text || strlen(text) > 63)
            file_say_expected(reader, ct_value_at(value, i), place, "a text of 1 to 63 bytes");
        list[i] = ct_arena_copy(reader->device->arena, text);
    }
    (*(ct_device_described **)out)->accepts = list;
}

/* ---- keys: these, and the limits */

#define AT(member) offsetof(ct_device, member)
static const file_key file_keys[] = {
    {"cornerturn_device", take_version, 0, true}, {"comment", take_comment, 0, false},
    {"name", take_name, AT(name), true},          {"platform", take_name, AT(platform_name), false},
    {"driver", take_name, AT(driver), false},     {"kind", take_kind, AT(gpu), true},
    {"class", take_class, AT(of_class), false},   {"registers", take_number, AT(registers), false},
    {"accepts", take_list, AT(described), false}};
#undef AT
enum { FILE_KEYS = sizeof file_keys / sizeof *file_keys };

/* The n-th of all; one without a name at the end. */
static file_key file_key_at(int n)
{
    if (n < FILE_KEYS) return file_keys[n];
    const ct_device_limit *limit = &ct_device_limits[n - FILE_KEYS];
    return (file_key){limit->name, take_number, limit->place, true};
}

static bool file_knows(const char *name)
{
    for (int n = 0; file_key_at(n).name; n++)
        if (!strcmp(file_key_at(n).name, name)) return true;
    return false;
}

/* "/" and the key, as RFC 6901 has it. */
static void file_pointer(char out[160], const char *key)
{
    size_t length = 0;
    out[length++] = '/';
    for (; *key && length < 150; key++) {
        const bool escaped = *key == '~' || *key == '/';
        if (escaped) out[length++] = '~';
        out[length++] = *key == '~' ? '0' : *key == '/' ? '1' : *key;
    }
    out[length] = '\0';
}

static void file_say_unknown(file_reader *reader, const char *name)
{
    const char *names[32] = {NULL};
    char pointer[160], near[CT_SUGGEST_SAY];
    for (int n = 0; n < 31 && file_key_at(n).name; n++)
        names[n] = file_key_at(n).name;
    file_pointer(pointer, name);
    file_say(reader, pointer, true, "unknown key \"%.60s\"%s", name,
             ct_suggest_say(near, name, names));
}

static void file_read_keys(file_reader *reader, const ct_value *root)
{
    for (size_t i = 0; i < ct_value_count(root); i++)
        if (!file_knows(ct_value_key(root, i))) file_say_unknown(reader, ct_value_key(root, i));
    for (int n = 0; file_key_at(n).name; n++) {
        const file_key key = file_key_at(n);
        const ct_value *value = ct_value_get(root, key.name);
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/%s", key.name);
        if (value)
            key.take(reader, value, pointer, (char *)reader->device + key.place);
        else if (key.needed)
            file_say(reader, "", false, "missing \"%s\"", key.name);
    }
}

/* A buffer lies in memory; a class has the device's kind, and follows from names if it is not
 * there. */
static void file_check(file_reader *reader)
{
    ct_device *device = reader->device;
    const ct_device_class usual =
        ct_device_class_of(device->gpu, device->platform_name, device->name, NULL);
    const char *kind = device->gpu ? "gpu" : "cpu";
    if (!device->of_class) device->of_class = usual;
    if (!reader->wrong && !(device->of_class & ct_device_class_find(kind, strlen(kind))))
        file_say(reader, "/class", false, "expected the word \"%s\" in the class, as \"kind\" says",
                 kind);
    if (!reader->wrong && device->largest_buffer > device->global_bytes)
        file_say(reader, "/largest_buffer", false,
                 "expected at most global_bytes, %lld, found %lld", (long long)device->global_bytes,
                 (long long)device->largest_buffer);
}

static ct_status file_read(file_reader *reader, const char *file, char **text)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    size_t length = 0;
    ct_error *err = reader->err;
    CT_TRY(ct_file_read(text, &length, file, err));
    if (strlen(*text) != length)
        CT_TRY(ct_error_add(err, CT_INVALID, "%s: expected JSON, found a byte of value 0", file));
    CT_TRY(ct_value_parse(&root, *text, file, err));
    reader->description = (ct_description){.file = file, .text = *text};
    if (ct_value_kind(root) == CT_OBJECT)
        file_read_keys(reader, root);
    else
        file_say_expected(reader, root, "", "an object that describes a device");
    file_check(reader);
    status = reader->wrong ? CT_INVALID : ct_arena_check(reader->device->arena, err);
out:
    ct_value_free(root);
    return status;
}

static ct_status file_begin(ct_device *device, const char *file, ct_error *err)
{
    static const char *const none[] = {NULL};
    ct_status status = CT_OK;
    device->arena = ct_arena_new();
    CT_NEED(device->arena, 0, err);
    device->described = ct_arena_get(device->arena, sizeof *device->described);
    CT_NEED(device->described, sizeof *device->described, err);
    *device->described = (ct_device_described){ct_arena_copy(device->arena, file), none};
    snprintf(device->platform_name, sizeof device->platform_name, "described");
    snprintf(device->driver, sizeof device->driver, "described");
out:
    return status;
}

/* ---- written */

static void print_text(ct_text *out, const char *key, const char *value, ct_form form)
{
    if (form == CT_FORM_JSON)
        ct_json_add_text(out, key, value);
    else
        ct_text_add(out, "%-18s %s\n", key, value);
}

static void print_number(ct_text *out, const char *key, int64_t value, ct_form form)
{
    if (form == CT_FORM_JSON)
        ct_json_add_int(out, key, value);
    else
        ct_text_add(out, "%-18s %lld\n", key, (long long)value);
}

static void print_accepted(ct_text *out, const char *name, ct_form form)
{
    if (form == CT_FORM_JSON)
        ct_json_add_text(out, NULL, name);
    else
        ct_text_add(out, " %s", name);
}

static void print_accepts(ct_text *out, const ct_device *device, ct_form form)
{
    const ct_device_probes *probes = device->probes;
    const char *const *list = device->described ? device->described->accepts : NULL;
    const unsigned room = sizeof probes->asked / sizeof probes->asked[0];
    if (form == CT_FORM_JSON)
        ct_json_open(out, "accepts", '[');
    else
        ct_text_add(out, "%-18s", "accepts");
    for (; list && *list; list++)
        print_accepted(out, *list, form);
    for (unsigned n = 0; probes && n < probes->count && n < room; n++)
        if (probes->accepted[n] && probes->name[n][0]) print_accepted(out, probes->name[n], form);
    if (form == CT_FORM_JSON)
        ct_json_close(out, ']');
    else
        ct_text_add(out, "\n");
}

void ct_device_print(ct_text *out, const ct_device *device, ct_form form)
{
    char words[CT_DEVICE_CLASS_TEXT];
    if (form == CT_FORM_JSON) ct_json_open(out, NULL, '{');
    if (form == CT_FORM_JSON) print_number(out, "cornerturn_device", FILE_VERSION, form);
    print_text(out, "name", device->name, form);
    print_text(out, "platform", device->platform_name, form);
    print_text(out, "driver", device->driver, form);
    print_text(out, "kind", device->gpu ? "gpu" : "cpu", form);
    print_text(out, "class", ct_device_class_print(device->of_class, words), form);
    for (const ct_device_limit *limit = ct_device_limits; limit->name; limit++)
        print_number(out, limit->name, *ct_device_limit_of((ct_device *)device, limit), form);
    if (device->registers) print_number(out, "registers", device->registers, form);
    print_accepts(out, device, form);
    if (form == CT_FORM_JSON) ct_json_close(out, '}');
    if (form == CT_FORM_JSON) ct_text_add(out, "\n");
}

ct_status ct_device_load(ct_device **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    file_reader reader = {.err = err};
    ct_device *device = ct_memory_get(sizeof *device);
    CT_NEED(device, sizeof *device, err);
    CT_TRY(file_begin(device, file, err));
    reader.device = device;
    CT_TRY(file_read(&reader, file, &text));
out:
    ct_memory_free(text);
    if (status != CT_OK) {
        ct_device_free(device);
        device = NULL;
    }
    *out = device;
    return status;
}
