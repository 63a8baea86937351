/* skeleton.h: the files of cli/skeleton/, each a text made by the build: of a stage as a page of
 * JSON (own_), in a shared library (plugin_), in the source tree (tree_). Room: cli. */
#ifndef CT_CLI_SKELETON_H
#define CT_CLI_SKELETON_H

#include "skeleton_own_README_md.h"
#include "skeleton_own_ref_cl.h"
#include "skeleton_own_stage_cl.h"
#include "skeleton_own_stage_json.h"
#include "skeleton_own_try_json.h"
#include "skeleton_plugin_CMakeLists_txt.h"
#include "skeleton_plugin_README_md.h"
#include "skeleton_plugin_stage_c.h"
#include "skeleton_tree_README_md.h"
#include "skeleton_tree_stage_c.h"
#include "skeleton_tree_stage_cl.h"
#include "skeleton_tree_stage_h.h"
#include "skeleton_tree_stage_ref_c.h"
#include "skeleton_tree_stage_test_c.h"
#include "skeleton_tree_stage_tune_c.h"

#endif
