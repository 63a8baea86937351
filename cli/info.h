/* info.h: what the verb info prints of stages.
 * Room: cli. */
#ifndef CT_CLI_INFO_H
#define CT_CLI_INFO_H
#include "cornerturn.h"

void ct_info_list_stages(const ct_context *context);
void ct_info_show_stage(const ct_stage *stage);

#endif
