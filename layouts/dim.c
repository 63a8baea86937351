/* dim.c: the letters of dimensions and their names.
 * Room: layouts. Knows words. Does not know orders. */
#include <ctype.h>
#include <string.h>

#include "layout.h"

typedef struct ct_dim_word {
    const char *name;
    char letter;
} ct_dim_word;

/* The first name of a letter is the one that is printed. */
static const ct_dim_word words[] = {
    {"station", 'S'},  {"polarization", 'P'}, {"pol", 'P'},     {"time", 'T'},
    {"channel", 'C'},  {"beam", 'B'},         {"dm", 'D'},      {"tap", 'K'},
    {"baseline", 'L'}, {"stokes", 'Q'},       {"subband", 'F'},
};
enum { WORDS = sizeof words / sizeof *words };

const char *ct_dim_name(char letter)
{
    for (int k = 0; k < WORDS; k++)
        if (words[k].letter == letter) return words[k].name;
    return NULL;
}

char ct_dim_letter(const char *name)
{
    if (strlen(name) == 1 && isupper((unsigned char)name[0])) return name[0];
    for (int k = 0; k < WORDS; k++)
        if (strcmp(words[k].name, name) == 0) return words[k].letter;
    return '\0';
}

const char *ct_dim_nearest(const char *wrong)
{
    const char *names[WORDS + 1] = {NULL};
    for (int k = 0; k < WORDS; k++)
        names[k] = words[k].name;
    return ct_suggest_nearest(wrong, names);
}
