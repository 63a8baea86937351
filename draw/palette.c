/* palette.c: the colours of all pictures: see draw.h.
 * Room: draw. Knows colours. Does not know what they stand for.
 * The scales are viridis and twilight of Matplotlib (both given to the public, CC0), at 17 places;
 * between these it is straight, which is off by 5 of 255 at most. */
#include "draw.h"

#include <math.h>

enum { STOPS = 17 };

static const uint8_t viridis[STOPS][3] = {
    {68, 1, 84},    {72, 24, 106},  {71, 45, 123},  {66, 64, 134},  {59, 82, 139},  {51, 99, 141},
    {44, 114, 142}, {38, 130, 142}, {33, 145, 140}, {31, 160, 136}, {40, 174, 128}, {63, 188, 115},
    {94, 201, 98},  {132, 212, 75}, {173, 220, 48}, {216, 226, 25}, {253, 231, 37}};
static const uint8_t twilight[STOPS][3] = {
    {226, 217, 226}, {196, 206, 212}, {149, 181, 199}, {114, 151, 193}, {98, 118, 186},
    {94, 81, 173},   {89, 42, 143},   {69, 19, 92},    {47, 20, 54},    {74, 19, 66},
    {116, 30, 79},   {152, 53, 80},   {178, 86, 82},   {194, 124, 99},  {204, 163, 137},
    {216, 199, 190}, {226, 217, 226}};

/* In the order of their names. */
static const uint8_t named[CT_COLOURS - CT_COLOUR_WHITE][3] = {
    {255, 255, 255}, {40, 40, 40},    {110, 110, 110}, {218, 218, 218},
    {184, 184, 184}, {214, 39, 40},   {31, 99, 163},   {213, 94, 0},
    {168, 203, 232}, {222, 235, 247}, {229, 245, 224}, {254, 230, 206}};

/* The palette in full, made once for each colour that is asked for: places between two stops. */
static void palette_mix(uint8_t out[3], const uint8_t stops[STOPS][3], double part)
{
    const double at = part * (STOPS - 1);
    const int low = at < STOPS - 1.001 ? (int)at : STOPS - 2;
    for (int i = 0; i < 3; i++)
        out[i] = (uint8_t)lround(stops[low][i] + (at - low) * (stops[low + 1][i] - stops[low][i]));
}

void ct_palette_rgb(uint8_t out[3], int colour)
{
    if (colour < 0 || colour >= CT_COLOURS) colour = CT_COLOUR_INK;
    if (colour >= CT_COLOUR_WHITE)
        for (int i = 0; i < 3; i++)
            out[i] = named[colour - CT_COLOUR_WHITE][i];
    else if (colour >= CT_COLOUR_CYCLE)
        palette_mix(out, twilight, (colour - CT_COLOUR_CYCLE) / (double)CT_COLOUR_CYCLE_STEPS);
    else
        palette_mix(out, viridis, (colour - CT_COLOUR_SCALE) / (CT_COLOUR_SCALE_STEPS - 1.0));
}

int ct_palette_scale(double part)
{
    const double at = fmin(fmax(part, 0.0), 1.0) * (CT_COLOUR_SCALE_STEPS - 1);
    return CT_COLOUR_SCALE + (int)lround(at);
}

int ct_palette_cycle(double part)
{
    const double at = fmin(fmax(part, 0.0), 1.0) * CT_COLOUR_CYCLE_STEPS;
    return CT_COLOUR_CYCLE + (int)lround(at) % CT_COLOUR_CYCLE_STEPS;
}
