/* stage_device.h: the step of a stage_case on the first device, for tests of what kernels add to
 * their reference (exactness, flags, sums over blocks).
 *
 * Room: tests. Knows core/program/program.h. Order: stage_make (stage.h), [inputs filled, layouts
 * and tunables set on the step], stage_device_open, stage_device_fire as often as wanted,
 * stage_device_read, stage_device_close. */
#ifndef CT_TESTS_STAGE_DEVICE_H
#define CT_TESTS_STAGE_DEVICE_H
#include "layout.h"
#include "one_device.h"
#include "program.h"
#include "stage.h"

typedef struct stage_device {
    ct_device *device;
    ct_program *program;
    ct_buffer mem[CT_PORTS];
    const stage_case *made;
} stage_device;

static inline void stage_device_must(ct_status status, const ct_error *err)
{
    if (status == CT_OK) return;
    fprintf(stderr, "%s\n", err->text);
    abort();
}

/* A port's contents: inputs' are the case's, others' a pattern of set bits. */
static inline void stage_device_put(stage_device *on, int port)
{
    ct_error err = {0};
    ct_array placed = on->made->step->port[port];
    if (placed.type == CT_NONE) return;
    const size_t bytes = ct_array_bytes(&placed);
    placed.data = malloc(bytes);
    memset(placed.data, 0xff, bytes);
    if (on->made->step->stage->ports[port].direction == CT_IN)
        ct_copy_array(&placed, &on->made->port[port]);
    stage_device_must(ct_buffer_write(&on->mem[port], on->device, 0, placed.data, bytes, &err),
                      &err);
    free(placed.data);
}

/* Ports without a layout get the natural one; then every port has its buffer and its contents.
 * False where there is no device. */
static inline bool stage_device_open(stage_device *on, const stage_case *made)
{
    ct_error err = {0};
    ct_step *step = made->step;
    memset(on, 0, sizeof *on);
    on->made = made;
    on->device = one_device(&err);
    if (!on->device) return false;
    for (int i = 0; i < ct_step_ports(step); i++) {
        ct_layout natural = ct_layout_natural(&step->port[i]);
        if (step->port[i].type == CT_NONE) continue;
        if (step->port[i].layout.rank == 0)
            stage_device_must(ct_step_set_layout(step, i, &natural, &err), &err);
        size_t bytes = ct_array_bytes(&step->port[i]);
        stage_device_must(ct_buffer_new(&on->mem[i], on->device, bytes, &err), &err);
        stage_device_put(on, i);
    }
    stage_device_must(ct_program_tables(step, on->device, on->mem, NULL, &err), &err);
    stage_device_must(ct_program_new(&on->program, on->device, step, &err), &err);
    return true;
}

static inline void stage_device_fire_piece(stage_device *on, const ct_piece *piece)
{
    ct_error err = {0};
    stage_device_must(ct_program_enqueue(on->program, on->mem, piece, &err), &err);
    stage_device_must(ct_program_wait(on->program, NULL, &err), &err);
}

static inline void stage_device_fire(stage_device *on, bool add)
{
    const ct_piece whole = ct_program_whole(on->made->step, add);
    stage_device_fire_piece(on, &whole);
}

/* An output in natural order and its own type; the caller frees its data. */
static inline ct_array stage_device_read(stage_device *on, int port)
{
    ct_error err = {0};
    ct_array placed = on->made->step->port[port], natural = placed;
    size_t bytes = ct_array_bytes(&placed);
    placed.data = malloc(bytes);
    stage_device_must(ct_buffer_read(&on->mem[port], on->device, 0, placed.data, bytes, &err),
                      &err);
    ct_array_dense(&natural, NULL);
    natural.data = malloc(ct_array_bytes(&natural));
    ct_copy_array(&natural, &placed);
    free(placed.data);
    return natural;
}

static inline void stage_device_close(stage_device *on)
{
    ct_program_free(on->program);
    for (int i = 0; i < CT_PORTS; i++)
        ct_buffer_free(&on->mem[i]);
}

#endif
