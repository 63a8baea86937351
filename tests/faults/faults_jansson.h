/* faults_jansson.h: Jansson's memory, which is ours to refuse. Room: tests. */
#ifndef CT_FAULTS_JANSSON_H
#define CT_FAULTS_JANSSON_H

/* Before the first run. */
void faults_jansson_learn(void);
/* From here on every call counts and can fail, but for the one that the file names. */
void faults_jansson_feed(void);

#endif
