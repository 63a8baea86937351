/* plot.h: pictures of what files hold (ct_plot_file is public, in cornerturn.h).
 * Room: plot. */
#ifndef CT_PLOT_PLOT_H
#define CT_PLOT_PLOT_H
#include "cornerturn_stage.h"

#endif
