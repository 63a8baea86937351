/* skeleton.h: the files of cli/skeleton/, each a text made by the build.
 * Room: cli. */
#ifndef CT_CLI_SKELETON_H
#define CT_CLI_SKELETON_H

#include "skeleton_README_md.h"
#include "skeleton_stage_c.h"
#include "skeleton_stage_cl.h"
#include "skeleton_stage_h.h"
#include "skeleton_stage_ref_c.h"
#include "skeleton_stage_test_c.h"
#include "skeleton_stage_tune_c.h"

#endif
