/* faults.c: runs pipelines once for every call that our own code makes, with that call failing in
 * every way that it can. After each run either the exit code is 0 and the outputs are those of an
 * undisturbed one, or it is not, a sentence says why, and the folder is as it was before; with
 * --resume but for hidden files, and then the next run does all the rest.
 * Room: tests. Order: make inputs, an undisturbed run, list the calls of a second one, try them.
 * FAULTS=all: every call (FAULTS=sinks: of that pipeline); else a sample of them, SEED=n the same
 * one again. FAULTS=sinks:17:4 runs one, and shows what it says. */
#include "calls.h"
#include "exhaustive.h"
#include "faults_folder.h"
#include "faults_inputs.h"
#include "faults_jansson.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 2, SAMPLE_FEW = 30, SAMPLE = 90, HUNG_S = 30 };

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

static const struct {
    const char *name;
    int ways;
} calls[] = {{"", 0},
#define ROW_OF(name, ways, kind, parameters, arguments) {#name, ways},
             FAULT_CALLS(ROW_OF)};

static const char *const way_names[WAYS] = {"ENOMEM", "ENOSPC", "EIO", "EINTR", "half", "an error"};

typedef struct pipeline_run {
    const char *name, *file;
    bool resume; /* run with --resume */
    bool keep;   /* without --whole: of a run that fails there may be a part */
    bool gpu;    /* on a CPU that is treated as a GPU */
} pipeline_run;

typedef struct trials {
    pipeline_run pipeline;
    faults *run;              /* shared with the run */
    const char *device;       /* of those that are on a GPU */
    folder before, whole, in; /* what out/ held, what it shall hold; what in/ holds */
    struct trial {
        long at;
        int name, way;
    } * list;
    long count;
    long *violations; /* shared by the workers */
    bool show;
} trials;

static void *shared_new(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* ---- one run */

static void child(const trials *all, const pipeline_run *pipeline)
{
    char name[] = "cornerturn", verb[] = "run", file[256];
    char trace[] = "--trace", resume[] = "--resume", often[] = "--checkpoint", always[] = "0";
    char whole[] = "--whole", on[] = "--device", device[PATH_MAX + 4];
    char *words[] = {name,  verb,   file, trace, pipeline->resume ? resume : whole,
                     often, always, NULL, NULL,  NULL};
    int count = pipeline->resume ? 7 : pipeline->keep ? 4 : 5;
    if (pipeline->gpu) {
        snprintf(device, sizeof device, "%s", all->device);
        words[count++] = on;
        words[count++] = device;
    }
    words[count] = NULL;
    snprintf(file, sizeof file, "%s.json", pipeline->file);
    const int log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int null = open("/dev/null", O_RDWR);
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(log, STDERR_FILENO);
    (void)close(log);
    (void)close(null);
    (void)alarm(HUNG_S);
    faults_jansson_feed();
    fault_arm(all->run);
    exit(__real_main(count, words));
}

static const char *log_read(char out[4096])
{
    const int from = open("log", O_RDONLY);
    const ssize_t n = from < 0 ? -1 : read(from, out, 4095);
    if (from >= 0) (void)close(from);
    out[n > 0 ? n : 0] = 0;
    return out;
}

/* The state that waitpid() gives. */
static int run_once(const trials *all, const pipeline_run *pipeline, long at, int way)
{
    int state = -1;
    all->run->at = at;
    all->run->way = way;
    all->run->made = 0;
    const pid_t pid = fork();
    if (pid == 0) child(all, pipeline);
    (void)waitpid(pid, &state, 0);
    return state;
}

/* The leak checker sometimes trips over a driver's thread that is just ending: then once more.
 * `before`: what out/ holds then; NULL: whatever it has. */
static int run(const trials *all, const pipeline_run *pipeline, long at, int way,
               const folder *before)
{
    char log[4096];
    int state = -1;
    for (int tries = 0; tries < 5; tries++) {
        if (before) folder_write(before, "out");
        state = run_once(all, pipeline, at, way);
        if (!strstr(log_read(log), "LeakSanitizer has encountered a fatal error")) break;
    }
    return state;
}

/* What is wrong after a run; "" nothing. */
static const char *judge(const trials *all, int state, const char *log, char out[600])
{
    char differs[512];
    const bool done = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    out[0] = 0;
    if (WIFSIGNALED(state))
        snprintf(out, 600, WTERMSIG(state) == SIGALRM ? "it hangs" : "signal %d", WTERMSIG(state));
    else if (strstr(log, "Sanitizer") || strstr(log, "runtime error"))
        snprintf(out, 600, "the sanitizer complains");
    else if (!done && !strchr(log, '\n'))
        snprintf(out, 600, "exit %d without a sentence", WEXITSTATUS(state));
    else if ((done || !all->pipeline.keep) &&
             *folder_differs(done ? &all->whole : &all->before, "out",
                             !done && all->pipeline.resume, differs))
        snprintf(out, 600, "exit %d: out/%s", WEXITSTATUS(state), differs);
    else if (*folder_differs(&all->in, "in", false, differs))
        snprintf(out, 600, "exit %d: in/%s", WEXITSTATUS(state), differs);
    return out;
}

/* The run that goes on after one that failed is to do all that is left. */
static void judge_resumed(const trials *all, char out[600])
{
    char log[4096], differs[512];
    if (!*folder_differs(&all->before, "out", false, differs)) return; /* it begins anew */
    const int state = run(all, &all->pipeline, -1, 0, NULL);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        snprintf(out, 600, "the next run fails: %.500s", log_read(log));
    else if (*folder_differs(&all->whole, "out", false, differs))
        snprintf(out, 600, "the next run: out/%s", differs);
}

static void try_one(const trials *all, const struct trial *one)
{
    char log[4096], wrong[600];
    const int state = run(all, &all->pipeline, one->at, 1 << one->way, &all->before);
    (void)judge(all, state, log_read(log), wrong);
    if (!*wrong && all->pipeline.resume && WEXITSTATUS(state) != 0) judge_resumed(all, wrong);
    if (!*wrong) {
        if (all->show) printf("fine, exit %d: %s", WEXITSTATUS(state), log);
        return;
    }
    __atomic_fetch_add(all->violations, 1, __ATOMIC_SEQ_CST);
    printf("FAULTS=%s:%ld:%d %s fails with %s: %s\n%s", all->pipeline.name, one->at, one->way,
           calls[one->name].name, way_names[one->way], wrong, log);
    fflush(stdout);
}

/* ---- the inputs, and what a run shall give */

/* false: the product was built without what it needs. */
static bool may_run(const trials *all, const pipeline_run *pipeline)
{
    char log[4096];
    const int state = run(all, pipeline, -1, 0, NULL);
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return true;
    if (strstr(log_read(log), "built without")) return false;
    printf("faults: %s fails undisturbed: %s", pipeline->name, log);
    exit(2);
}

static void must_run(const trials *all, const pipeline_run *pipeline)
{
    if (!may_run(all, pipeline)) exit(2);
}

/* Half of the outputs have something already, which could be a description. */
static void make_before(trials *all)
{
    static const char old[] = "{\"dims\": \"T\"}\n";
    for (int i = 0; i < all->whole.count; i += 2) {
        struct folder_file *file = &all->before.file[all->before.count++];
        *file = all->whole.file[i];
        file->data = strdup(old);
        file->bytes = sizeof old - 1;
    }
}

static void list_trials(trials *all)
{
    all->list = calloc((size_t)all->run->made * WAYS, sizeof *all->list);
    for (long n = 0; all->list && n < all->run->made; n++)
        for (int way = 0; way < WAYS; way++)
            if (calls[all->run->name[n]].ways >> way & 1)
                all->list[all->count++] = (struct trial){n, all->run->name[n], way};
}

static void prepare(trials *all, const pipeline_run *pipeline)
{
    all->pipeline = *pipeline;
    folder_write(&all->before, "out");
    must_run(all, pipeline); /* kernels are compiled */
    folder_read(&all->whole, "out");
    make_before(all);
    folder_write(&all->before, "out");
    must_run(all, pipeline);
    list_trials(all);
}

/* ---- all of them */

static void copy_to(const char *folder_name, const trials *all)
{
    char text[8192];
    if (mkdir(folder_name, 0700) != 0 || chdir(folder_name) != 0 || mkdir("in", 0700) != 0 ||
        mkdir("out", 0700) != 0)
        exit(2);
    folder_write(&all->in, "in");
    snprintf(text, sizeof text, "../%s.json", all->pipeline.file);
    FILE *from = fopen(text, "rb");
    const size_t bytes = from ? fread(text, 1, sizeof text, from) : 0;
    if (from) fclose(from);
    char name[256];
    snprintf(name, sizeof name, "%s.json", all->pipeline.file);
    FILE *to = fopen(name, "wb");
    if (!to || fwrite(text, 1, bytes, to) != bytes || fclose(to) != 0) exit(2);
}

/* Every `step`-th from `first` on, shared out. */
static void try_all(trials *all, long first, long step)
{
    for (int worker = 0; worker < WORKERS; worker++) {
        if (fork() != 0) continue;
        char name[300];
        snprintf(name, sizeof name, "%s.%d", all->pipeline.name, worker);
        all->run = shared_new(sizeof *all->run);
        copy_to(name, all);
        for (long i = first + worker * step; i < all->count; i += WORKERS * step)
            try_one(all, &all->list[i]);
        _exit(0);
    }
    while (wait(NULL) > 0) {
    }
}

/* Calls of the pipeline to what fails in one of these ways. */
static long calls_of(const trials *all, int ways)
{
    long count = 0;
    for (long n = 0; n < all->run->made; n++)
        count += (calls[all->run->name[n]].ways & ways) != 0;
    return count;
}

static void try_named(trials *all, long at, int way)
{
    all->show = true;
    for (long i = 0; i < all->count; i++)
        if (all->list[i].at == at && all->list[i].way == way) try_one(all, &all->list[i]);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void clear(trials *all)
{
    folder_free(&all->whole);
    folder_free(&all->before);
    free(all->list);
    all->list = NULL;
    all->count = 0;
}

static void try_pipeline(trials *all, const pipeline_run *pipeline, unsigned seed)
{
    const char *wanted = getenv("FAULTS");
    const double start = seconds();
    const size_t length = strlen(pipeline->name);
    long at = 0, before = *all->violations;
    int way = 0;
    prepare(all, pipeline);
    const bool whole =
        wanted && (strcmp(wanted, "all") == 0 || strcmp(wanted, pipeline->name) == 0);
    const long sample = few_or_all(SAMPLE_FEW, SAMPLE);
    const long step = whole || all->count <= sample ? 1 : all->count / sample;
    const long first = (long)(seed % (unsigned long)step);
    if (all->run->made > FAULT_MOST) exit(2);
    if (!wanted || whole) {
        try_all(all, first, step);
        printf("%s: %ld calls (%ld for memory, %ld of files, %ld of OpenCL) fail in %ld ways, %ld "
               "of them tried in %.0f s: %ld violations\n",
               pipeline->name, all->run->made, calls_of(all, NOMEM), calls_of(all, IO),
               calls_of(all, CODE), all->count, (all->count - first + step - 1) / step,
               seconds() - start, *all->violations - before);
    } else if (strncmp(wanted, pipeline->name, length) == 0 &&
               sscanf(wanted + length, ":%ld:%d", &at, &way) == 2) {
        try_named(all, at, way);
    }
    fflush(stdout);
    clear(all);
}

/* The drivers' libraries, before the first fork: loading them is most of a short run's time, and
 * starts nothing. */
static void load_drivers(void)
{
    static const char vendors[] = "/etc/OpenCL/vendors";
    DIR *list = opendir(vendors);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char place[512], name[256] = "";
        snprintf(place, sizeof place, "%s/%s", vendors, entry->d_name);
        FILE *from = strstr(place, ".icd") ? fopen(place, "r") : NULL;
        if (from && fscanf(from, "%255s", name) == 1) (void)dlopen(name, RTLD_NOW | RTLD_GLOBAL);
        if (from) fclose(from);
    }
    if (list) closedir(list);
}

int __wrap_main(int argc, char **argv)
{
    static const pipeline_run make = {"make", "make", false, false, false},
                              hdf5_make = {"hdf5_make", "hdf5_make", false, false, false},
                              hdf5 = {"hdf5", "hdf5", false, false, false},
                              pipelines[] = {{"sinks", "sinks", false, false, false},
                                             {"kept", "sinks", false, true, false},
                                             {"formats", "formats", false, false, false},
                                             {"gathered", "gathered", false, false, false},
                                             {"packets", "packets", false, false, false},
                                             {"resumed", "resumed", true, false, false},
                                             {"sent", "sent", false, false, true}};
    char resolved[PATH_MAX], device[PATH_MAX + 4];
    const char *given = getenv("SEED");
    const unsigned seed =
        given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL) % 100000u;
    trials all = {.run = shared_new(sizeof(faults)), .violations = shared_new(sizeof(long))};
    if (argc != 2 || !realpath("examples/devices/h200.json", resolved)) return 2;
    snprintf(device, sizeof device, "as:%s", resolved);
    all.device = device;
    if (chdir(argv[1]) != 0 || mkdir("in", 0700) != 0 || mkdir("out", 0700) != 0) return 2;
    printf("SEED=%u\n", seed);
    fflush(stdout);
    load_drivers();
    faults_jansson_learn();
    write_noise("in/voltages.raw", 1920);
    write_noise("in/power.raw", 1000);
    write_guppi("in/guppi.raw");
    must_run(&all, &make);
    const bool have_hdf5 = may_run(&all, &hdf5_make);
    folder_read(&all.in, "in");
    for (size_t i = 0; i < sizeof pipelines / sizeof pipelines[0]; i++)
        try_pipeline(&all, &pipelines[i], seed);
    if (have_hdf5) try_pipeline(&all, &hdf5, seed);
    folder_free(&all.in);
    return *all.violations > 0;
}
