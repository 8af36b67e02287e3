/* Makes calls of a program fail: loaded with LD_PRELOAD, it stands between the program and the C library.
 *
 * FAULT_KINDS   the kinds of calls, such as "write,rename": open (to write), write, sync, rename, mkdir, remove, read (and open
 *               to read, and list), lock, spawn
 * FAULT_UNDER   the folder whose files are meant; spawn is meant wherever the program is
 * FAULT_AT      the number of the call that fails, from 1, of those that are meant
 * FAULT_LASTS   if set, all later ones fail as well: the disk is full and stays so
 * FAULT_KILLS   if set, the process dies instead, as of SIGKILL
 * FAULT_ERRNO   the number of the error
 * FAULT_LOG     the file that gets a line for each call that failed
 *
 * Programs that the program starts are left alone. A write that fails first writes half of what it should, as on a disk that
 * becomes full. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *under, *kinds, *logged;
static long at, number;
static int lasts, kills;
static atomic_long met;

__attribute__((constructor)) static void begin(void) {
    under = getenv("FAULT_UNDER");
    kinds = getenv("FAULT_KINDS");
    logged = getenv("FAULT_LOG");
    at = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
    number = getenv("FAULT_ERRNO") ? atol(getenv("FAULT_ERRNO")) : EIO;
    lasts = getenv("FAULT_LASTS") != NULL;
    kills = getenv("FAULT_KILLS") != NULL;
    unsetenv("LD_PRELOAD");
}

static int is_meant(const char *kind) {
    const char *found = kinds && under ? strstr(kinds, kind) : NULL;
    return found && strchr(",", found[strlen(kind)]) && (found == kinds || found[-1] == ',');
}

/* True if this call fails. */
static int fails(const char *kind, const char *what) {
    long now = atomic_fetch_add(&met, 1) + 1;
    if (now != at && !(lasts && at && now > at))
        return 0;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%ld %s %s\n", now, kind, what);
    int file = REAL(open)(logged, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) {
        if (REAL(write)(file, line, length) < 0)
            abort();
        REAL(close)(file);
    }
    if (kills)
        kill(getpid(), SIGKILL);
    errno = number;
    return 1;
}

static int fails_path(const char *kind, const char *path) {
    if (!is_meant(kind) || !path)
        return 0;
    char whole[2 * PATH_MAX];
    if (path[0] == '/')
        snprintf(whole, sizeof whole, "%s", path);
    else {
        char here[PATH_MAX];
        if (!getcwd(here, sizeof here))
            return 0;
        snprintf(whole, sizeof whole, "%s/%s", here, path);
    }
    return strncmp(whole, under, strlen(under)) == 0 && fails(kind, whole);
}

static int fails_file(const char *kind, int file) {
    if (!is_meant(kind))
        return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/')
        return 0;
    path[length] = 0;
    return fails_path(kind, path);
}

static const char *kind_of_open(int flags) {
    return (flags & O_ACCMODE) == O_RDONLY ? "read" : "open";
}

#define OPEN(name)                                                                                                             \
    int name(const char *path, int flags, ...) {                                                                               \
        va_list more;                                                                                                          \
        va_start(more, flags);                                                                                                 \
        mode_t mode = va_arg(more, mode_t);                                                                                    \
        va_end(more);                                                                                                          \
        return fails_path(kind_of_open(flags), path) ? -1 : REAL(name)(path, flags, mode);                                     \
    }
OPEN(open)
OPEN(open64)

#define OPEN_IN(name)                                                                                                          \
    int name(int folder, const char *path, int flags, ...) {                                                                   \
        va_list more;                                                                                                          \
        va_start(more, flags);                                                                                                 \
        mode_t mode = va_arg(more, mode_t);                                                                                    \
        va_end(more);                                                                                                          \
        int meant = folder == AT_FDCWD ? fails_path(kind_of_open(flags), path) : fails_file(kind_of_open(flags), folder);      \
        return meant ? -1 : REAL(name)(folder, path, flags, mode);                                                             \
    }
OPEN_IN(openat)
OPEN_IN(openat64)

ssize_t write(int file, const void *from, size_t length) {
    if (!fails_file("write", file))
        return REAL(write)(file, from, length);
    REAL(write)(file, from, length / 2);
    errno = number;
    return -1;
}
ssize_t writev(int file, const struct iovec *from, int count) {
    return fails_file("write", file) ? -1 : REAL(writev)(file, from, count);
}
ssize_t pwrite(int file, const void *from, size_t length, off_t where) {
    return fails_file("write", file) ? -1 : REAL(pwrite)(file, from, length, where);
}
ssize_t pwrite64(int file, const void *from, size_t length, off64_t where) {
    return fails_file("write", file) ? -1 : REAL(pwrite64)(file, from, length, where);
}
ssize_t read(int file, void *to, size_t length) {
    return fails_file("read", file) ? -1 : REAL(read)(file, to, length);
}
ssize_t pread64(int file, void *to, size_t length, off64_t where) {
    return fails_file("read", file) ? -1 : REAL(pread64)(file, to, length, where);
}
DIR *opendir(const char *path) { return fails_path("read", path) ? NULL : REAL(opendir)(path); }
int fsync(int file) { return fails_file("sync", file) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails_file("sync", file) ? -1 : REAL(fdatasync)(file); }
int ftruncate(int file, off_t length) { return fails_file("sync", file) ? -1 : REAL(ftruncate)(file, length); }
int ftruncate64(int file, off64_t length) { return fails_file("sync", file) ? -1 : REAL(ftruncate64)(file, length); }
int flock(int file, int how) { return fails_file("lock", file) ? -1 : REAL(flock)(file, how); }
int rename(const char *from, const char *to) { return fails_path("rename", to) ? -1 : REAL(rename)(from, to); }
int link(const char *from, const char *to) { return fails_path("rename", to) ? -1 : REAL(link)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails_path("mkdir", path) ? -1 : REAL(mkdir)(path, mode); }
int unlink(const char *path) { return fails_path("remove", path) ? -1 : REAL(unlink)(path); }
int rmdir(const char *path) { return fails_path("remove", path) ? -1 : REAL(rmdir)(path); }
int linkat(int from_folder, const char *from, int folder, const char *to, int flags) {
    return fails_path("rename", to) ? -1 : REAL(linkat)(from_folder, from, folder, to, flags);
}
int unlinkat(int folder, const char *path, int flags) {
    return fails_file("remove", folder) ? -1 : REAL(unlinkat)(folder, path, flags);
}

#define SPAWN(name)                                                                                                            \
    int name(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,   \
             char *const arguments[], char *const variables[]) {                                                               \
        return is_meant("spawn") && fails("spawn", path) ? (int)number                                                         \
                                                         : REAL(name)(child, path, actions, attributes, arguments, variables); \
    }
SPAWN(posix_spawn)
SPAWN(posix_spawnp)
pid_t fork(void) { return is_meant("spawn") && fails("spawn", "fork") ? -1 : REAL(fork)(); }
