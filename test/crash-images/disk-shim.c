// Preloaded into a child process: writes down, in order, everything that the process does to the files below one folder,
// and can let a chosen operation fail. SQLite, the file system calls of Node and those of the C++ library all pass here.
//
//   FENCEPOST_DISK_ROOT  the folder that is watched
//   FENCEPOST_DISK_LOG   where the log goes; nothing is written down without it
//
// Two names in that folder are not files: a line that is written to `.marks` goes into the same log, between the
// operations before it and those after it, and a line that is written to `.control` arms a fault (see `control`).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, UNLINK, RENAME, MAKE_FOLDER, REMOVE_FOLDER, MARK };
enum { ON_CHANGE = 1, ON_SYNC = 2 };
enum { FILES = 4096, LANES = 64 };

struct record {
  uint32_t kind, path_bytes, data_bytes, unused;
  uint64_t inode, offset;
};

struct tracked {
  enum { NOT_TRACKED = 0, FILE_OR_FOLDER, MARKS, CONTROL } what;
  ino_t inode;
  dev_t device;
  int lane;
  char path[256];
};

// One lane is one folder `lane-<n>`: many hosts can run side by side, each with a fault of its own.
struct lane {
  int on, code, is_for_ever;
  long at, seen, fired;
};

static struct tracked files[FILES];
static struct lane lanes[LANES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_bytes;
static int log_file = -1;

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("FENCEPOST_DISK_ROOT");
  const char *target = getenv("FENCEPOST_DISK_LOG");
  if (folder == NULL || strlen(folder) + 2 > sizeof root) return;
  snprintf(root, sizeof root, "%s/", folder);
  root_bytes = strlen(root);
  if (target == NULL || *target == 0) return;
  log_file = (int)syscall(SYS_openat, AT_FDCWD, target, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) abort();
}

// The path below the watched folder; NULL for any other. Callers here always pass absolute paths.
static const char *below(const char *path) {
  if (root_bytes == 0 || path == NULL) return NULL;
  if (strncmp(path, root, root_bytes) == 0) return path + root_bytes;
  return strncmp(path, root, root_bytes - 1) == 0 && path[root_bytes - 1] == 0 ? "" : NULL;
}

static void put(const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    long done = syscall(SYS_write, log_file, next, count);
    if (done <= 0) abort();
    next += done;
    count -= (size_t)done;
  }
}

static void note(uint32_t kind, const char *path, ino_t inode, uint64_t offset, const void *data, size_t data_bytes) {
  if (log_file < 0) return;
  struct record head = {kind, (uint32_t)strlen(path), (uint32_t)data_bytes, 0, inode, offset};
  put(&head, sizeof head);
  put(path, head.path_bytes);
  if (data_bytes > 0) put(data, data_bytes);
}

static int lane_of(const char *path) {
  int lane;
  if (sscanf(path, "lane-%d/", &lane) != 1 || lane < 0 || lane >= LANES) return -1;
  // What only describes the host to a person takes no part: its failure is nobody's loss.
  return strstr(path, "/host.log") != NULL || strstr(path, "/profile.lock") != NULL ? -1 : lane;
}

// Whether this operation is to fail; errno is set then.
static int fails(const char *path, int on) {
  int number = lane_of(path);
  if (number < 0) return 0;
  struct lane *lane = &lanes[number];
  if ((lane->on & on) == 0) return 0;
  lane->seen += 1;
  if (lane->at == 0 || lane->seen < lane->at || (lane->seen > lane->at && !lane->is_for_ever)) return 0;
  lane->fired += 1;
  errno = lane->code;
  return 1;
}

// `arm <lane> <on> <k> <errno> <for ever>` starts to count; `report <lane>` writes count and failures beside the lane.
static void control(const char *line, size_t bytes) {
  char text[128] = "", name[PATH_MAX + 32];
  int number, on, code, is_for_ever;
  long at;
  memcpy(text, line, bytes < sizeof text - 1 ? bytes : sizeof text - 1);
  if (sscanf(text, "arm %d %d %ld %d %d", &number, &on, &at, &code, &is_for_ever) == 5) {
    lanes[number % LANES] = (struct lane){on, code, is_for_ever, at, 0, 0};
  } else if (sscanf(text, "report %d", &number) == 1) {
    struct lane *lane = &lanes[number % LANES];
    snprintf(name, sizeof name, "%sreport-%d", root, number);
    int file = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int length = snprintf(text, sizeof text, "%ld %ld", lane->seen, lane->fired);
    syscall(SYS_write, file, text, length);
    syscall(SYS_close, file);
  }
}

static struct tracked *find(int file) {
  if (file < 0 || file >= FILES || files[file].what == NOT_TRACKED) return NULL;
  struct stat now;
  if (fstat(file, &now) == 0 && now.st_ino == files[file].inode && now.st_dev == files[file].device) return &files[file];
  // Closed in a way that does not pass here, and the number was given to something else since.
  files[file].what = NOT_TRACKED;
  return NULL;
}

static int open_tracked(const char *path, const char *name, int flags, mode_t mode) {
  struct stat before, after;
  pthread_mutex_lock(&lock);
  int was_there = lstat(path, &before) == 0;
  int is_new = !was_there && (flags & O_CREAT) != 0;
  int file = -1;
  if (!is_new || !fails(name, ON_CHANGE)) file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  int code = errno;
  if (file >= 0 && file < FILES && fstat(file, &after) == 0) {
    struct tracked *entry = &files[file];
    entry->what = strcmp(name, ".marks") == 0 ? MARKS : strcmp(name, ".control") == 0 ? CONTROL : FILE_OR_FOLDER;
    entry->inode = after.st_ino;
    entry->device = after.st_dev;
    snprintf(entry->path, sizeof entry->path, "%s", name);
    if (entry->what == FILE_OR_FOLDER && is_new) note(CREATE, name, after.st_ino, 0, NULL, 0);
    if (entry->what == FILE_OR_FOLDER && was_there && (flags & O_TRUNC) != 0 && before.st_size > 0)
      note(TRUNCATE, name, after.st_ino, 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  errno = code;
  return file;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    mode_t mode = 0; \
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) { \
      va_list rest; \
      va_start(rest, flags); \
      mode = va_arg(rest, mode_t); \
      va_end(rest); \
    } \
    const char *inside = below(path); \
    if (inside != NULL) return open_tracked(path, inside, flags, mode); \
    REAL(name); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

int close(int file) {
  REAL(close);
  pthread_mutex_lock(&lock);
  if (file >= 0 && file < FILES) files[file].what = NOT_TRACKED;
  int done = real(file);
  pthread_mutex_unlock(&lock);
  return done;
}

static ssize_t write_tracked(struct tracked *entry, int file, const void *data, size_t bytes, off_t at, int is_placed) {
  if (entry->what == MARKS) return note(MARK, "", 0, 0, data, bytes), (ssize_t)bytes;
  if (entry->what == CONTROL) return control(data, bytes), (ssize_t)bytes;
  if (fails(entry->path, ON_CHANGE)) return -1;
  if (!is_placed) {
    struct stat now;
    int is_appending = (fcntl(file, F_GETFL) & O_APPEND) != 0;
    at = is_appending && fstat(file, &now) == 0 ? now.st_size : lseek(file, 0, SEEK_CUR);
  }
  long done = is_placed ? syscall(SYS_pwrite64, file, data, bytes, at) : syscall(SYS_write, file, data, bytes);
  if (done > 0) note(WRITE, entry->path, entry->inode, (uint64_t)at, data, (size_t)done);
  return done;
}

#define TRACKED(file, act) \
  if (root_bytes > 0) { \
    pthread_mutex_lock(&lock); \
    struct tracked *entry = find(file); \
    if (entry != NULL) { \
      __auto_type done = act; \
      int code = errno; \
      pthread_mutex_unlock(&lock); \
      errno = code; \
      return done; \
    } \
    pthread_mutex_unlock(&lock); \
  }

ssize_t write(int file, const void *data, size_t bytes) {
  TRACKED(file, write_tracked(entry, file, data, bytes, 0, 0))
  REAL(write);
  return real(file, data, bytes);
}

#define PWRITE(name, offset) \
  ssize_t name(int file, const void *data, size_t bytes, offset at) { \
    TRACKED(file, write_tracked(entry, file, data, bytes, at, 1)) \
    REAL(name); \
    return real(file, data, bytes, at); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

static ssize_t write_parts(struct tracked *entry, int file, const struct iovec *parts, int count, off_t at, int is_placed) {
  ssize_t sum = 0;
  for (int index = 0; index < count; index += 1) {
    ssize_t done = write_tracked(entry, file, parts[index].iov_base, parts[index].iov_len, at + sum, is_placed);
    if (done < 0) return sum > 0 ? sum : done;
    sum += done;
    if ((size_t)done < parts[index].iov_len) break;
  }
  return sum;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  TRACKED(file, write_parts(entry, file, parts, count, 0, 0))
  REAL(writev);
  return real(file, parts, count);
}

#define PWRITEV(name, offset) \
  ssize_t name(int file, const struct iovec *parts, int count, offset at) { \
    TRACKED(file, write_parts(entry, file, parts, count, at, 1)) \
    REAL(name); \
    return real(file, parts, count, at); \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

static int truncate_tracked(struct tracked *entry, int file, off_t size) {
  if (fails(entry->path, ON_CHANGE)) return -1;
  int done = (int)syscall(SYS_ftruncate, file, size);
  if (done == 0) note(TRUNCATE, entry->path, entry->inode, (uint64_t)size, NULL, 0);
  return done;
}

#define FTRUNCATE(name, offset) \
  int name(int file, offset size) { \
    TRACKED(file, truncate_tracked(entry, file, size)) \
    REAL(name); \
    return real(file, size); \
  }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

static int sync_tracked(struct tracked *entry, int file, long call) {
  if (fails(entry->path, ON_SYNC)) return -1;
  int done = (int)syscall(call, file);
  if (done == 0) note(SYNC, entry->path, entry->inode, 0, NULL, 0);
  return done;
}

int fsync(int file) {
  TRACKED(file, sync_tracked(entry, file, SYS_fsync))
  REAL(fsync);
  return real(file);
}

int fdatasync(int file) {
  TRACKED(file, sync_tracked(entry, file, SYS_fdatasync))
  REAL(fdatasync);
  return real(file);
}

static int change_names(uint32_t kind, const char *path, const char *name, mode_t mode) {
  struct stat made = {0};
  long done = -1;
  pthread_mutex_lock(&lock);
  int is_failing = lstat(path, &made) == (kind == MAKE_FOLDER ? -1 : 0) && fails(name, ON_CHANGE);
  if (!is_failing && kind == MAKE_FOLDER) done = syscall(SYS_mkdir, path, mode);
  else if (!is_failing) done = syscall(SYS_unlinkat, AT_FDCWD, path, kind == REMOVE_FOLDER ? AT_REMOVEDIR : 0);
  int code = errno;
  if (done == 0 && kind == MAKE_FOLDER) lstat(path, &made);
  if (done == 0) note(kind, name, made.st_ino, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = code;
  return (int)done;
}

int unlink(const char *path) {
  const char *inside = below(path);
  if (inside != NULL) return change_names(UNLINK, path, inside, 0);
  REAL(unlink);
  return real(path);
}

int rmdir(const char *path) {
  const char *inside = below(path);
  if (inside != NULL) return change_names(REMOVE_FOLDER, path, inside, 0);
  REAL(rmdir);
  return real(path);
}

int remove(const char *path) {
  const char *inside = below(path);
  struct stat found;
  REAL(remove);
  if (inside == NULL || lstat(path, &found) != 0) return real(path);
  return change_names(S_ISDIR(found.st_mode) ? REMOVE_FOLDER : UNLINK, path, inside, 0);
}

int unlinkat(int folder, const char *path, int flags) {
  const char *inside = below(path);
  if (inside != NULL) return change_names((flags & AT_REMOVEDIR) != 0 ? REMOVE_FOLDER : UNLINK, path, inside, 0);
  REAL(unlinkat);
  return real(folder, path, flags);
}

int mkdir(const char *path, mode_t mode) {
  const char *inside = below(path);
  if (inside != NULL) return change_names(MAKE_FOLDER, path, inside, mode);
  REAL(mkdir);
  return real(path, mode);
}

int rename(const char *from, const char *to) {
  REAL(rename);
  const char *inside = below(from), *target = below(to);
  if (inside == NULL || target == NULL) return real(from, to);
  pthread_mutex_lock(&lock);
  int done = fails(inside, ON_CHANGE) ? -1 : real(from, to);
  int code = errno;
  if (done == 0) note(RENAME, inside, 0, 0, target, strlen(target));
  pthread_mutex_unlock(&lock);
  errno = code;
  return done;
}

// A copy inside the kernel does not pass here, so for watched files there is none: the caller reads and writes instead.
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  TRACKED(to, ((void)entry, errno = EINVAL, (ssize_t)-1))
  REAL(sendfile);
  return real(to, from, offset, count);
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  TRACKED(to, ((void)entry, errno = EINVAL, (ssize_t)-1))
  REAL(sendfile64);
  return real(to, from, offset, count);
}

long syscall(long number, ...) {
  va_list rest;
  long given[6];
  va_start(rest, number);
  for (int index = 0; index < 6; index += 1) given[index] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_copy_file_range && root_bytes > 0) {
    TRACKED((int)given[2], ((void)entry, errno = ENOSYS, -1L))
  }
  static __typeof__(&syscall) real;
  if (real == NULL) real = (__typeof__(&syscall))dlsym(RTLD_NEXT, "syscall");
  return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
