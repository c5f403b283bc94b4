/* Loaded with LD_PRELOAD into the process that scripts/regenerate_packages.py watches: writes down which environment variables
 * compiled code asks for, and which processes it starts. What Python code does, scripts/watched_import.py sees.
 *
 * Each line of the log is "PROCESS getenv NAME", "PROCESS fork" or "PROCESS program NAME".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

/* Not through getenv, which is ours. */
static char *value_of(const char *name) {
    size_t length = strlen(name);
    if (!environ || !length) return NULL;
    for (char **at = environ; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') return *at + length + 1;
    return NULL;
}

static void note(const char *what, const char *name) {
    const char *path = value_of("STANDIN_LOG");
    if (!path) return;
    /* Without the wrappers of the library, which may not be ready yet. */
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) return;
    char line[256];
    int length = snprintf(line, sizeof line, "%ld %s%s%.200s\n", syscall(SYS_getpid), what, *name ? " " : "", name);
    syscall(SYS_write, file, line, (size_t)length);
    syscall(SYS_close, file);
}

/* Names are asked for thousands of times; once is enough, and two threads that write one twice do no harm. */
static void note_variable(const char *name) {
    enum { PLACES = 4096 };
    static unsigned seen[PLACES];
    unsigned hash = 2166136261u;
    for (const char *at = name; *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    if (!hash) hash = 1;
    for (unsigned step = 0; step < 64; step++) {
        unsigned *place = &seen[(hash + step) % PLACES];
        if (*place == hash) return;
        if (!*place) {
            *place = hash;
            break;
        }
    }
    note("getenv", name);
}

char *getenv(const char *name) {
    note_variable(name);
    return value_of(name);
}

char *secure_getenv(const char *name) {
    note_variable(name);
    return value_of(name);
}

/* The function of the library that ours stands before. */
static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

pid_t fork(void) {
    note("fork", "");
    return ((pid_t (*)(void))real("fork"))();
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The first word of a command of a shell. */
static void note_command(const char *command) {
    char word[128];
    size_t length = strcspn(command, " \t\n");
    if (length > sizeof word - 1) length = sizeof word - 1;
    memcpy(word, command, length);
    word[length] = 0;
    note("program", file_name(word));
}

int system(const char *command) {
    if (command) note_command(command);
    return ((int (*)(const char *))real("system"))(command);
}

FILE *popen(const char *command, const char *type) {
    note_command(command);
    return ((FILE * (*)(const char *, const char *))real("popen"))(command, type);
}

#define SPAWN(function)                                                                                                       \
    int function(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, \
                 char *const arguments[], char *const variables[]) {                                                          \
        note("program", file_name(path));                                                                                     \
        return ((int (*)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],  \
                         char *const[]))real(#function))(pid, path, actions, attributes, arguments, variables);               \
    }
SPAWN(posix_spawn)
SPAWN(posix_spawnp)
