/* keys.h: walking a page of JSON by tables of keys.
 * Room: stages/own. Knows JSON values and their places. Does not know what the keys mean. */
#ifndef CT_OWN_KEYS_H
#define CT_OWN_KEYS_H
#include "own.h"
#include "text.h"

typedef struct ct_own_reader {
    ct_arena *arena;
    ct_error *err;
    ct_own *own;
    ct_stage *stage;
    const char *folder; /* of the page, with a slash at the end; "" for the present one */
    ct_said *said;
    int said_count, said_room;
    const char **files;
    int file_count, file_room;
    ct_fill fills[CT_PORTS + 1];
    int fill_count;
    ct_case_array *arrays;
    int array_count, array_room, number; /* of the case that is being read, from 1 */
    ct_text texts;                       /* all that the stage is made of, for its digest */
    bool wrong;                          /* something was said */
} ct_own_reader;

/* Reads the value at `pointer` to where `out` points. */
typedef void ct_own_take(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         void *out);

typedef struct ct_own_key {
    const char *name;
    ct_own_take *take;
    size_t at; /* where in the object's struct */
    bool needed;
} ct_own_key;

/* Says a mistake; `key`: at the member's name, not at its value. */
void ct_own_say(ct_own_reader *reader, const char *pointer, bool key, const char *format, ...)
    CT_PRINTF(4, 5);
/* "/ports/X" and "dims" -> "/ports/X/dims" */
const char *ct_own_pointer(ct_own_reader *reader, const char *pointer, const char *key);

/* The members of an object in the order of their table, which ends at the first key without a name.
 */
void ct_own_keys(ct_own_reader *reader, const ct_value *value, const char *pointer,
                 const ct_own_key *keys, void *out);

/* Readers of one value: a text; a text or a whole number, which is an expression (then its place is
 * kept to be looked at); words as a text or a list; true or false; numbers. Each says what it
 * expected where it found something else, and leaves *out as it was. */
ct_own_take ct_own_text, ct_own_expression, ct_own_words, ct_own_bool, ct_own_int, ct_own_real;
/* One of the words; its place, -1 where it is none. */
int ct_own_choice(ct_own_reader *reader, const ct_value *value, const char *pointer,
                  const char *const *words);
/* The same, of which is known when it has its value and how large that must be. */
void ct_own_number(ct_own_reader *reader, const ct_value *value, const char *pointer,
                   const char **out, ct_said_kind kind, int64_t least);
/* The page's parameter of this name; NULL none. */
const ct_param *ct_own_param(const ct_stage *stage, const char *name);
/* Keeps an expression to be looked at once all names are known. */
void ct_own_expect(ct_own_reader *reader, ct_said said);
ct_own_take ct_own_parallel; /* a text of several */

/* Rows from a list (names NULL) or from an object's members: `most` of them at most, of `size`
 * bytes, and one of zeros after the last. Each row's `take` gets it as `out`; `name` is set to its
 * key. */
void *ct_own_rows(ct_own_reader *reader, const ct_value *value, const char *pointer, bool named,
                  size_t size, ct_own_take *take);

/* A file of the page's folder, read; NULL, and said at `pointer`, where that fails. */
const char *ct_own_file(ct_own_reader *reader, const char *pointer, const char *name);

/* The tables of keys, each in a file of its own. */
ct_own_take ct_own_ports, ct_own_params, ct_own_tunables, ct_own_tiles, ct_own_terms, ct_own_cases,
    ct_own_rules, ct_own_launches;
/* own_kernels.c: says where the text (NULL: said already) of `file` has no kernel of this name. */
void ct_own_check_kernel(ct_own_reader *reader, const char *pointer, const char *text,
                         const char *file, const char *entry);
/* more.c */
void ct_own_more(ct_own_reader *reader); /* gives the stage what was added: */
void ct_own_add_fill(ct_own_reader *reader, const char *port, const char *entry);
ct_own_take ct_own_case_arrays; /* "inputs" and "outputs" of the case reader->number */
/* own_text.c: the kernel's text with what it includes; NULL where that fails. */
const char *ct_own_source(ct_own_reader *reader, const char *pointer, const char *name);

#endif
