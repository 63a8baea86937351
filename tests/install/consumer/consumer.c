/* consumer.c: a program of somebody else's: it lists the stages of an installed Cornerturn. */
#include <cornerturn_stage.h>
#include <stdio.h>

int main(void)
{
    ct_error err = {0};
    ct_context *context = NULL;
    if (ct_context_open(&context, &err) != CT_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; ct_context_stage_at(context, i) != NULL; i++)
        printf("%s\n", ct_context_stage_at(context, i)->name);
    ct_context_free(context);
    return 0;
}
