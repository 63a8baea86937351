/* shape.c: from a step's input shapes to its outputs, tables and scratch.
 * Room: core/step. Knows ports' dims and types. Does not know any stage: infer() does the special
 * part. Order inside ct_step_infer: inputs checked, outputs seeded from port 0, the stage's
 * infer(), results checked, T filled in. */
#include "fail.h"
#include "step_inner.h"
#include "word.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SHAPE_MOST ((int64_t)1 << 60)

/* The node's key that connects this port: "input", or the port's name in small letters. */
static const char *shape_key(const ct_step *step, int port, char buffer[32])
{
    const char *name = step->stage->ports[port].name;
    size_t i;
    if (port == 0) return "input";
    for (i = 0; name[i] && i < 31; i++)
        buffer[i] = (char)tolower((unsigned char)name[i]);
    buffer[i] = 0;
    return buffer;
}

/* What the user calls the data at this port. */
static const char *shape_input_name(const ct_step *step, int port, const char *key)
{
    const ct_value *given = ct_value_get(ct_step_in(step)->given, key);
    return ct_value_text(given, step->stage->ports[port].name);
}

/* "S,P,T,C" of plain letters or of a port's dims. */
static void shape_list(char *out, size_t size, const char *dims)
{
    size_t length = 0;
    bool inside = false;
    for (; *dims && length + 2 < size; dims++) {
        if (length && *dims != '?' && *dims != ']' && !inside) out[length++] = ',';
        inside = *dims == '[' || (inside && *dims != ']');
        out[length++] = *dims;
    }
    out[length] = 0;
}

/* "missing T,B or S" grows by one dimension. */
static size_t shape_missing(char *out, size_t size, size_t length, const char *choices)
{
    const char *join = length ? "," : "missing ";
    for (; *choices && length < size; choices++, join = " or ")
        length += (size_t)snprintf(out + length, size - length, "%s%c", join, *choices);
    return length;
}

/* "missing C", or "it has B too many". */
static void shape_difference(char *out, size_t size, const ct_port *port, const ct_array *array)
{
    ct_port_dim dims[CT_DIMS];
    bool used[CT_DIMS] = {false};
    size_t length = 0;
    int count = ct_port_parse(port, dims);
    out[0] = 0;
    for (int i = 0; i < count; i++) {
        int place = ct_port_dim_find(&dims[i], array);
        if (place >= 0)
            used[place] = true;
        else if (!dims[i].optional && length < size)
            length = shape_missing(out, size, length, dims[i].choices);
    }
    for (int i = 0; i < array->rank; i++)
        if (!used[i] && length < size)
            length +=
                (size_t)snprintf(out + length, size - length, "%s%c",
                                 length ? "; does not take " : "it does not take ", array->dim[i]);
}

static ct_status shape_check_dims(ct_step *step, int port, ct_error *err)
{
    const ct_port *declared = &step->stage->ports[port];
    ct_array *array = &step->port[port];
    char buffer[32], has[64], needs[64], difference[128];
    const char *key = shape_key(step, port, buffer);
    if (ct_port_order(declared, array)) return CT_OK;
    shape_list(has, sizeof has, array->dim);
    shape_list(needs, sizeof needs, declared->dims);
    shape_difference(difference, sizeof difference, declared, array);
    const ct_source_location *location = &ct_step_in(step)->location;
    const char *between =
        location->between ? location->between(location->graph, array, declared) : NULL;
    return ct_step_fail(step, key, err, "input \"%s\" has dimensions %s; %s needs %s: %s%s%s%s",
                        shape_input_name(step, port, key), has, step->stage->name, needs,
                        difference, between ? "; put " : "", between ? between : "",
                        between ? " between them" : "");
}

static ct_status shape_check_type(const ct_step *step, int port, ct_error *err)
{
    const ct_port *declared = &step->stage->ports[port];
    ct_type type = step->port[port].type;
    char buffer[32];
    const char *key = shape_key(step, port, buffer);
    if (declared->types[0] == '=') {
        int other = ct_step_find_port(step, declared->types + 1);
        ct_type wanted = other < 0 ? type : step->port[other].type;
        if (wanted == type) return CT_OK;
        return ct_step_fail(step, key, err, "input \"%s\" is %s; it must be %s, as input %s is",
                            shape_input_name(step, port, key), ct_type_name(type),
                            ct_type_name(wanted), declared->types + 1);
    }
    if (!strcmp(declared->types, "*") || ct_word_find(declared->types, ct_type_name(type)) >= 0)
        return CT_OK;
    return ct_step_fail(step, key, err, "input \"%s\" is %s; %s takes %s",
                        shape_input_name(step, port, key), ct_type_name(type), step->stage->name,
                        declared->types);
}

/* Strides and offsets count elements in 63 bits, with room for gaps. */
static ct_status shape_check_count(const ct_step *step, int port, ct_error *err)
{
    const ct_array *array = &step->port[port];
    int64_t count = 1;
    for (int i = 0; i < array->rank; i++)
        if (array->extent[i] > 1 &&
            (__builtin_mul_overflow(count, array->extent[i], &count) || count > SHAPE_MOST))
            return ct_step_fail(step, NULL, err,
                                "port %s has more elements than %lld, the most that can be counted",
                                step->stage->ports[port].name, (long long)SHAPE_MOST);
    return CT_OK;
}

static ct_status shape_check_input(ct_step *step, int port, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_port *declared = &step->stage->ports[port];
    char buffer[32];
    if (step->port[port].type == CT_NONE) {
        if (declared->flags & (CT_PORT_OPTIONAL | CT_PORT_FLAGS)) return CT_OK;
        return ct_step_fail(step, NULL, err, "\"%s\" is missing: %s needs data there",
                            shape_key(step, port, buffer), step->stage->name);
    }
    CT_TRY(shape_check_dims(step, port, err));
    CT_TRY(shape_check_type(step, port, err));
    CT_TRY(shape_check_count(step, port, err));
    ct_array_dense(&step->port[port], NULL);
    step->port[port].layout.rank = 0;
out:
    return status;
}

/* An output starts with what its port shares with port 0. */
static void shape_seed(ct_step *step, int port)
{
    const ct_array *from = &step->port[0];
    ct_array *array = &step->port[port];
    ct_port_dim dims[CT_DIMS];
    int count = ct_port_parse(&step->stage->ports[port], dims);
    memset(array, 0, sizeof *array);
    if (step->stage->ports[port].direction != CT_OUT || ct_role_of(step) == CT_ROLE_SOURCE) return;
    array->meta = from->meta;
    if (!strcmp(step->stage->ports[port].dims, "*"))
        for (int i = 0; i < from->rank; i++)
            ct_array_add(array, from->dim[i], from->extent[i]);
    for (int i = 0; i < count; i++) {
        int place = ct_port_dim_find(&dims[i], from);
        if (place >= 0) ct_array_add(array, from->dim[place], from->extent[place]);
    }
}

/* Of a dimension that infer() added although it was seeded, the later one counts. */
static void shape_drop_repeated(ct_array *array)
{
    for (int i = 0; i < array->rank; i++)
        for (int j = i + 1; j < array->rank; j++)
            if (array->dim[i] == array->dim[j]) {
                array->extent[i] = array->extent[j];
                array->rank--;
                for (int k = j; k < array->rank; k++) {
                    array->dim[k] = array->dim[k + 1];
                    array->extent[k] = array->extent[k + 1];
                }
                array->dim[array->rank] = 0;
                j--;
            }
}

static void shape_default_type(ct_step *step, int port)
{
    const ct_port *declared = &step->stage->ports[port];
    char word[16];
    int other;
    if (step->port[port].type != CT_NONE) return;
    if (declared->types[0] == '=') {
        other = ct_step_find_port(step, declared->types + 1);
        step->port[port].type = other < 0 ? CT_NONE : step->port[other].type;
    } else if (ct_word_at(declared->types, 0, word, sizeof word)) {
        step->port[port].type = ct_type_parse(word);
    }
}

/* What infer() left: an optional table or scratch port without dimensions is not connected. */
static ct_status shape_check_made(ct_step *step, int port, ct_error *err)
{
    const ct_port *declared = &step->stage->ports[port];
    ct_array *array = &step->port[port];
    ct_layout fixed = array->layout;
    bool absent = array->rank == 0 && declared->dims[0] != 0 && declared->dims[0] != '*';
    if (absent && (declared->flags & CT_PORT_OPTIONAL)) {
        array->type = CT_NONE;
        return CT_OK;
    }
    shape_drop_repeated(array);
    shape_default_type(step, port);
    if (ct_port_gives_flags(declared) && !ct_port_order(declared, array))
        return ct_step_fail(step, NULL, err,
                            "port %s flags samples of stations, and the data have none (dimensions "
                            "%s); a stage that flags any data declares S?T",
                            declared->name, step->port[0].dim);
    if (!ct_port_order(declared, array))
        return ct_step_fail(step, NULL, err,
                            "the stage's infer() gives port %s the dimensions %s; it declares %s",
                            declared->name, array->dim, declared->dims);
    for (int i = 0; i < array->rank; i++)
        if (array->dim[i] != 'T' && array->extent[i] < 1)
            return ct_step_fail(step, NULL, err,
                                "the stage's infer() gives port %s %lld along %c, expected at "
                                "least 1",
                                declared->name, (long long)array->extent[i], array->dim[i]);
    const ct_status countable = shape_check_count(step, port, err);
    if (countable != CT_OK) return countable;
    ct_array_dense(array, NULL);
    array->layout = fixed;
    return CT_OK;
}

/* An accumulating output gathers firings until a sum is whole; where it may end within one, the
 * last of them is only a part. */
static void shape_accumulate(ct_step *step, int64_t t)
{
    if (!ct_accumulate_declared(step->stage) || t <= 0 || step->decimate <= t) return;
    if (ct_step_carries(step) || step->decimate % t == 0)
        step->accumulate = ct_divide_up(step->decimate, t);
}

/* Whether the block divides is the graph's business (infer_graph.c), which can choose another. */
static void shape_time(ct_step *step)
{
    int64_t t = ct_array_extent(&step->port[0], 'T');
    ct_step_in(step)->firing = ct_array_find(&step->port[0], 'T') < 0 ? 0 : t;
    if (ct_role_of(step) == CT_ROLE_SOURCE || ct_array_find(&step->port[0], 'T') < 0) return;
    shape_accumulate(step, t);
    for (int i = 0; i < ct_step_ports(step); i++) {
        ct_array *array = &step->port[i];
        int place = ct_array_find(array, 'T');
        if (step->stage->ports[i].direction == CT_OUT && place >= 0) {
            ct_layout fixed = array->layout;
            array->extent[place] = step->accumulate > 1 ? 1 : t / step->decimate;
            ct_array_dense(array, NULL);
            array->layout = fixed;
        }
    }
}

static ct_status shape_inputs(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction == CT_IN) {
            ct_status one = shape_check_input(step, i, err);
            status = one == CT_OK ? status : one;
        }
    return status;
}

/* The parameter that names the file which was looked at last; NULL none. */
static const char *shape_file_param(const ct_step *step)
{
    int count = 0;
    const ct_step_file_use *uses = ct_step_uses(step, &count);
    if (count > 0) return uses[count - 1].param;
    for (const ct_param *p = step->stage->params; p && p->name; p++)
        if (p->kind == CT_PARAM_FILE && ct_step_text(step, p->name)) return p->name;
    return NULL;
}

/* A mistake in a file is reported where the pipeline names the file. */
static ct_status shape_blame(const ct_step *step, const ct_error *why, ct_error *err)
{
    const char *param = shape_file_param(step);
    for (const char *at = why->text; *at;) {
        const int length = (int)strcspn(at, "\n");
        (void)ct_step_fail_data(step, param, err, "%.*s", length, at);
        at += length + (at[length] != 0);
    }
    return CT_DATA;
}

static ct_status shape_check_types(const ct_step *step, ct_error *err)
{
    for (int i = 0; i < ct_step_ports(step); i++)
        if ((int)step->port[i].type < 0 || step->port[i].type >= CT_TYPES)
            return ct_step_fail(step, NULL, err,
                                "the stage's infer() gives port %s no type that there is",
                                step->stage->ports[i].name);
    return CT_OK;
}

/* A stage that fails without a word would leave its user without one. */
static ct_status shape_ask_stage(ct_step *step, ct_error *err)
{
    ct_error why = {0};
    const ct_status status = step->stage->infer ? step->stage->infer(step, &why) : CT_OK;
    if (ct_step_answer(step, CT_OK, err) != CT_OK) return CT_FAILED;
    if (status == CT_EOF && !ct_step_may_wait(step)) return CT_EOF;
    if (status != CT_OK && why.count == 0)
        return ct_step_fail(step, NULL, err,
                            "stage %s does not take this and does not say why (its infer() gave "
                            "status %d)",
                            step->stage->name, (int)status);
    if (status == CT_DATA && ct_step_in(step)->location.file) return shape_blame(step, &why, err);
    if (why.count > 0) (void)ct_error_pass(err, why.status, &why);
    if (status != CT_OK) return status;
    if (ct_step_complaint(step, err) != CT_OK || shape_check_types(step, err) != CT_OK)
        return CT_INVALID;
    if (step->decimate >= 1 && step->grain >= 1 && step->overlap >= 0) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "the stage's infer() gives decimate %lld, grain %lld and overlap %lld; "
                        "expected at least 1, 1 and 0",
                        (long long)step->decimate, (long long)step->grain,
                        (long long)step->overlap);
}

/* Counts and masks beside the first output are of all products together, and none of them. */
static void shape_drop_names(ct_step *step)
{
    for (int i = ct_step_first_output(step) + 1; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction == CT_OUT && ct_array_find(&step->port[i], 'Q') < 0)
            step->port[i].meta.products = NULL;
}

ct_status ct_step_infer(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    step->decimate = step->grain = step->accumulate = 1;
    step->overlap = 0;
    ct_step_in(step)->use_count = 0;
    ct_step_in(step)->warned = NULL;
    ct_step_in(step)->unsplit = NULL;
    ct_step_in(step)->updated = 0;
    ct_step_in(step)->live = (ct_step_live_start){0};
    ct_step_in(step)->probe = (ct_probe){0};
    CT_TRY(shape_inputs(step, err));
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction != CT_IN) shape_seed(step, i);
    CT_TRY(shape_ask_stage(step, err));
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction != CT_IN) CT_TRY(shape_check_made(step, i, err));
    shape_time(step);
    shape_drop_names(step);
    CT_TRY(ct_step_check_flags(step, err));
out:
    return status;
}
