/* params.h: the parameters that array sources share: what a sidecar can say, a node can say.
 * Room: io/shared. */
#ifndef CT_IO_PARAMS_H
#define CT_IO_PARAMS_H

/* clang-format off */
#define CT_PARAMS_SIZES                                                                            \
    {"sizes", CT_PARAM_ANY, NULL, NULL, 0, 0,                                                      \
     "{\"S\": 3, \"P\": 2} or a list in the order of dims; T may be left out (null in a list)"}

/* Of sources of a format that does not say it. */
#define CT_PARAMS_PRODUCTS                                                                         \
    {"products", CT_PARAM_ANY, NULL, NULL, 0, 0,                                                   \
     "what is along Q: \"IQUV\", \"AABBCRCI\", [\"XX\", \"YY\"]"},                                 \
    {"feed", CT_PARAM_TEXT, NULL, "linear circular", 0, 0, "receptors: X and Y, or R and L"}

#define CT_PARAMS_META                                                                             \
    {"dims", CT_PARAM_TEXT, NULL, NULL, 0, 0, "the axes, slowest first: \"SPT\""},                 \
    {"type", CT_PARAM_TEXT, NULL, NULL, 0, 0, "of an element: \"ci8\", \"cf32\", \"f32\""},        \
    {"sample_time_s", CT_PARAM_REAL, NULL, NULL, 0, 0, "spacing along T, s"},                      \
    {"start_s", CT_PARAM_REAL, NULL, NULL, 0, 0,                                                   \
     "the first sample's middle after start_mjd, s; default half a sample"},                       \
    {"start_mjd", CT_PARAM_REAL, NULL, NULL, 0, 0, "the observation's start, MJD (UTC)"},          \
    {"frequency_hz", CT_PARAM_ANY, NULL, NULL, 0, 0,                                               \
     "channel centres: a list; one number where there is no C"},                                   \
    {"channel_width_hz", CT_PARAM_REAL, NULL, NULL, 0, 0, "of a channel, or of the band"},         \
    {"dm", CT_PARAM_ANY, NULL, NULL, 0, 0, "of each index of D, pc cm^-3"},                        \
    {"downsample", CT_PARAM_ANY, NULL, NULL, 0, 0, "samples added, for each index of D"},          \
    {"subbands", CT_PARAM_INT, NULL, NULL, 0, 0, "in which trials were made, in two steps"},       \
    {"smear", CT_PARAM_INT, NULL, NULL, 0, 0, "samples by which these are off, at most"},          \
    {"source_name", CT_PARAM_TEXT, NULL, NULL, 0, 0, "what was observed"},                         \
    {"telescope", CT_PARAM_TEXT, NULL, NULL, 0, 0, "which observed it"},                           \
    {"src_raj", CT_PARAM_REAL, NULL, NULL, 0, 0, "right ascension, hhmmss.s"},                     \
    {"src_dej", CT_PARAM_REAL, NULL, NULL, 0, 0, "declination, ddmmss.s"},                         \
    CT_PARAMS_PRODUCTS
/* clang-format on */

#define CT_TYPES_ARRAY "ci8 ci4 ci16 ci32 ci64 cf32 cf16 f32 f16 u8 i8 u16 i16 u32 i32"

#endif
