/*
 * A CUDA driver that simulates a device: device memory is process memory, and every entry, except in modules that the
 * library generates, is the same function from a row's record to its result:
 *
 *     record: u32 operation, u32 value, u64 handle        parameters: rows, results, marks (u64),
 *     result: u64 number, u128 of bytes                               first, count (u32), salt (u64)
 *
 * It checks its arguments as far as it can, and logs its calls to the file FAKE_LOG.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    RETURN,         /* number = value + salt */
    TRAP,           /* 719 */
    HANG,           /* hangs */
    OVERRUN,        /* writes a byte after the results of the last row */
    STORE,          /* flips the byte `value` of the surface */
    LOAD,           /* number = that byte */
    UNFINISHED,     /* the mark stays 1 */
    TRAP_BEFORE,    /* 719, the mark stays 0 */
    TRAP_TOGETHER,  /* 719 unless it is alone, else as RETURN */
    STATUS,         /* the launch ends with status `value` */
    STORE_VARIABLE, /* as STORE, on the surface that is bound to the variable */
    DIE,            /* the process dies */
};

enum {
    INVALID_VALUE = 1,
    NO_BINARY = 209,
    INVALID_PTX = 218,
    UNSUPPORTED_PTX = 222,
    NOT_FOUND = 500,
    FAILED = 719,
    NOT_SUPPORTED = 801,
};

static int dead; /* the status that every call answers after a fault */

#define ALIVE                                                                                                          \
    if (dead)                                                                                                          \
    return dead
#define CHECK(condition)                                                                                               \
    if (!(condition)) {                                                                                                \
        note("refused %s: %s", __func__, #condition);                                                                  \
        return INVALID_VALUE;                                                                                          \
    }

static void note(const char *format, ...)
{
    const char *path = getenv("FAKE_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
}

/* The device */

int cuInit(unsigned flags)
{
    CHECK(flags == 0);
    note("init %d", getpid());
    return 0;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

int cuGetErrorName(int code, const char **name)
{
    switch (code) {
    case INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; return 0;
    case NO_BINARY: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; return 0;
    case INVALID_PTX: *name = "CUDA_ERROR_INVALID_PTX"; return 0;
    case UNSUPPORTED_PTX: *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; return 0;
    case NOT_FOUND: *name = "CUDA_ERROR_NOT_FOUND"; return 0;
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return 0;
    case FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; return 0;
    case NOT_SUPPORTED: *name = "CUDA_ERROR_NOT_SUPPORTED"; return 0;
    default: *name = NULL; return INVALID_VALUE;
    }
}

int cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    CHECK(ordinal == 0);
    *device = 0;
    return 0;
}

int cuDeviceGetName(char *name, int length, int device)
{
    const char *cache = getenv("CUDA_CACHE_PATH"), *loading = getenv("CUDA_MODULE_LOADING");
    CHECK(device == 0);
    snprintf(name, length, "Fake (cache: %s, loading: %s)", cache && strstr(cache, "ptx-conform-") ? "its own" : "the user's",
             loading ? loading : "");
    return 0;
}

int cuDeviceGetAttribute(int *value, unsigned attribute, int device)
{
    CHECK(device == 0);
    switch (attribute) {
    case 75: *value = 9; return 0;
    case 76: *value = 0; return 0;
    case 102: *value = getenv("FAKE_NO_ADDRESSES") == NULL; return 0;
    default: return INVALID_VALUE;
    }
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    CHECK(device == 0);
    *context = &dead;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    CHECK(context == &dead);
    return 0;
}

/* Memory */

int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    ALIVE;
    CHECK(bytes > 0);
    /* Room after it, so that an overrun does not kill the process. */
    *at = (uint64_t)aligned_alloc(256, (bytes + 511) / 256 * 256);
    return 0;
}

int cuMemFree_v2(uint64_t at)
{
    ALIVE;
    free((void *)at);
    return 0;
}

int cuMemHostAlloc(void **at, size_t bytes, unsigned flags)
{
    ALIVE;
    CHECK(flags == 3);
    *at = calloc(1, bytes);
    return 0;
}

int cuMemHostGetDevicePointer_v2(uint64_t *at, void *host, unsigned flags)
{
    CHECK(flags == 0);
    *at = (uint64_t)host;
    return 0;
}

int cuMemFreeHost(void *at)
{
    ALIVE;
    free(at);
    return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    ALIVE;
    memcpy((void *)to, from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    ALIVE;
    memcpy(to, (void *)from, bytes);
    return 0;
}

#define GRANULE 4096

struct location {
    int type, id;
};

struct properties {
    int type, handles;
    struct location location;
    void *metadata;
    unsigned char flags[8];
};

struct access {
    struct location location;
    int flags;
};

int cuMemGetAllocationGranularity(size_t *granule, const struct properties *properties, unsigned option)
{
    CHECK(properties->type == 1 && properties->handles == 0 && option == 0);
    CHECK(properties->location.type == 1 && properties->location.id == 0);
    *granule = GRANULE;
    return 0;
}

int cuMemAddressReserve(uint64_t *at, size_t bytes, size_t alignment, uint64_t wish, unsigned long long flags)
{
    ALIVE;
    CHECK(bytes % GRANULE == 0 && alignment == 0 && wish == 0 && flags == 0);
    *at = (uint64_t)mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return 0;
}

int cuMemAddressFree(uint64_t at, size_t bytes)
{
    ALIVE;
    munmap((void *)at, bytes);
    return 0;
}

int cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *properties, unsigned long long flags)
{
    ALIVE;
    CHECK(bytes % GRANULE == 0 && properties->type == 1 && flags == 0);
    *handle = bytes;
    return 0;
}

int cuMemRelease(uint64_t handle)
{
    ALIVE;
    CHECK(handle % GRANULE == 0);
    return 0;
}

int cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags)
{
    ALIVE;
    CHECK(at % GRANULE == 0 && bytes == handle && offset == 0 && flags == 0);
    return 0;
}

int cuMemUnmap(uint64_t at, size_t bytes)
{
    ALIVE;
    mprotect((void *)at, bytes, PROT_NONE);
    return 0;
}

int cuMemSetAccess(uint64_t at, size_t bytes, const struct access *access, size_t count)
{
    ALIVE;
    CHECK(count == 1 && access->location.type == 1 && access->location.id == 0 && access->flags == 3);
    mprotect((void *)at, bytes, PROT_READ | PROT_WRITE);
    return 0;
}

/* Surfaces */

struct descriptor {
    size_t width, height, depth;
    unsigned format, channels, flags;
};

struct array {
    size_t row, rows, slices;
    unsigned char *data;
};

static struct array *bound; /* to the variable */

static size_t sample(unsigned format, unsigned channels)
{
    static const unsigned normalised[] = {1, 2, 4};
    if (format >= 192 && format <= 203) {
        if (channels != normalised[(format - 192) % 3])
            return 0;
        return channels * ((format - 192) / 3 % 2 ? 2 : 1);
    }
    if (channels != 1 && channels != 2 && channels != 4)
        return 0;
    switch (format) {
    case 1: case 8: return channels;
    case 2: case 9: case 16: return 2 * channels;
    case 3: case 10: case 32: return 4 * channels;
    default: return 0;
    }
}

int cuArray3DCreate_v2(struct array **array, const struct descriptor *of)
{
    ALIVE;
    CHECK(of->flags == 2 || of->flags == 3);
    CHECK(of->width > 0 && sample(of->format, of->channels) > 0);
    CHECK(of->flags == 2 || of->depth > 0);
    CHECK(of->flags == 3 || of->depth == 0 || of->height > 0);
    *array = malloc(sizeof **array);
    (*array)->row = of->width * sample(of->format, of->channels);
    (*array)->rows = of->height ? of->height : 1;
    (*array)->slices = of->depth ? of->depth : 1;
    (*array)->data = calloc((*array)->row * (*array)->rows, (*array)->slices);
    note("array %zux%zux%zu format %u channels %u flags %u", of->width, of->height, of->depth, of->format,
         of->channels, of->flags);
    return 0;
}

int cuArrayDestroy(struct array *array)
{
    ALIVE;
    if (bound == array)
        bound = NULL;
    free(array->data);
    free(array);
    return 0;
}

struct side {
    size_t x, y, z, lod;
    int type;
    void *host;
    uint64_t device;
    struct array *array;
    void *reserved;
    size_t pitch, height;
};

struct copy {
    struct side from, to;
    size_t width, height, depth;
};

static int whole(const struct copy *copy, const struct side *host, const struct side *array)
{
    CHECK(host->x == 0 && host->y == 0 && host->z == 0 && host->lod == 0 && !host->array && !host->device);
    CHECK(array->x == 0 && array->y == 0 && array->z == 0 && array->lod == 0 && !array->host && !array->device);
    CHECK(host->host && !host->reserved && !array->reserved);
    CHECK(copy->width == array->array->row && copy->height == array->array->rows);
    CHECK(copy->depth == array->array->slices && host->pitch == copy->width && host->height == copy->height);
    return 0;
}

int cuMemcpy3D_v2(const struct copy *copy)
{
    ALIVE;
    size_t bytes = copy->width * copy->height * copy->depth;
    if (copy->from.type == 1 && copy->to.type == 3) {
        if (whole(copy, &copy->from, &copy->to))
            return INVALID_VALUE;
        memcpy(copy->to.array->data, copy->from.host, bytes);
        return 0;
    }
    CHECK(copy->from.type == 3 && copy->to.type == 1);
    if (whole(copy, &copy->to, &copy->from))
        return INVALID_VALUE;
    memcpy(copy->to.host, copy->from.array->data, bytes);
    return 0;
}

struct resource {
    int type;
    struct array *array;
    char rest[120];
    unsigned flags;
};

int cuSurfObjectCreate(uint64_t *object, const struct resource *resource)
{
    ALIVE;
    CHECK(resource->type == 0 && resource->array && resource->flags == 0);
    *object = (uint64_t)resource->array;
    return 0;
}

int cuSurfObjectDestroy(uint64_t object)
{
    ALIVE;
    CHECK(object);
    return 0;
}

/* Modules */

int cuModuleLoadDataEx(char **module, const char *image, unsigned count, const int *options, void **values)
{
    ALIVE;
    CHECK(count == 2 && options[0] == 5 && options[1] == 6 && (size_t)values[1] > 1000);
    int binary = strncmp(image, "cubin", 5) == 0;
    if (!binary)
        CHECK(strncmp(image, ".version ", 9) == 0);
    note("load %s", binary ? "binary" : "ptx");
    if (strstr(image, "bogus")) {
        snprintf(values[0], (size_t)values[1],
                 "ptxas application ptx input, line 6; error   : Unknown modifier '.bogus'\n"
                 "ptxas fatal   : Ptx assembly aborted due to errors\n");
        return INVALID_PTX;
    }
    if (strstr(image, "unsupported"))
        return UNSUPPORTED_PTX;
    if (strstr(image, "obsolete"))
        return NOT_SUPPORTED;
    if (strncmp(image, "cubin bad", 9) == 0)
        return NO_BINARY;
    if (strstr(image, "abort"))
        abort();
    *module = strdup(image);
    return 0;
}

int cuModuleUnload(char *module)
{
    ALIVE;
    free(module);
    return 0;
}

struct function {
    int parameters; /* of an entry `k0`, `k1` and so on, which is not executed; else 0 */
};

int cuModuleGetFunction(struct function **function, char *module, const char *name)
{
    ALIVE;
    const char *at = strstr(module, name);
    if (!at)
        return NOT_FOUND;
    *function = calloc(1, sizeof **function);
    char entry[32];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    if (name[0] == 'k' && (at = strstr(module, entry)))
        for ((*function)->parameters = 1; *at != ')'; at++)
            (*function)->parameters += *at == ',';
    return 0;
}

int cuModuleGetSurfRef(void **reference, char *module, const char *name)
{
    ALIVE;
    *reference = module;
    return strcmp(name, "surf") && !strstr(module, name) ? NOT_FOUND : 0;
}

int cuSurfRefSetArray(void *reference, struct array *array, unsigned flags)
{
    ALIVE;
    CHECK(reference && array && flags == 0);
    bound = array;
    return 0;
}

/* Launches */

struct record {
    uint32_t operation, value;
    struct array *surface;
};

struct result {
    uint64_t number;
    unsigned char bytes[16];
} __attribute__((packed));

static int hangs;

static int flip(struct array *surface, uint32_t value, int flips)
{
    size_t size = surface->row * surface->rows * surface->slices;
    if (flips)
        surface->data[value % size] ^= 0xff;
    return surface->data[value % size];
}

/* An entry that the library generated: all its rows finish, except a row that is alone if FAKE_TRAPS is set. */
static int ends(void **parameters, unsigned x, unsigned threads)
{
    volatile uint32_t *marks = *(void **)parameters[0];
    uint32_t first = *(uint32_t *)parameters[1], count = *(uint32_t *)parameters[2];
    CHECK(threads == 128 && (uint64_t)x * threads >= count && (uint64_t)(x - 1) * threads < count);
    note("launch %u %u", first, count);
    for (uint32_t row = first; row < first + count; row++)
        marks[row] = 2;
    if (count == 1 && getenv("FAKE_TRAPS")) {
        marks[first] = 1;
        dead = FAILED;
    }
    return 0;
}

int cuLaunchKernel(struct function *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty, unsigned tz,
                   unsigned shared, void *stream, void **parameters, void **extra)
{
    ALIVE;
    CHECK(function && y == 1 && z == 1 && ty == 1 && tz == 1 && shared == 0 && !stream && !extra);
    if (function->parameters > 2)
        return ends(parameters + function->parameters - 3, x, threads);
    const struct record *rows = *(void **)parameters[0];
    struct result *results = *(void **)parameters[1];
    volatile uint32_t *marks = *(void **)parameters[2];
    uint32_t first = *(uint32_t *)parameters[3], count = *(uint32_t *)parameters[4];
    uint64_t salt = *(uint64_t *)parameters[5];
    CHECK(threads == 128 && (uint64_t)x * threads >= count && (uint64_t)(x - 1) * threads < count);
    note("launch %u %u", first, count);
    for (uint32_t row = first; row < first + count; row++) {
        const struct record *record = &rows[row];
        struct result *result = &results[row];
        CHECK(marks[row] == 0);
        if (record->operation == TRAP_BEFORE) {
            dead = FAILED;
            return 0;
        }
        marks[row] = 1;
        result->number = record->value + salt;
        memset(result->bytes, record->value & 0xff, sizeof result->bytes);
        switch (record->operation) {
        case RETURN: break;
        case TRAP: dead = FAILED; return 0;
        case HANG: hangs = 1; return 0;
        case OVERRUN: *(volatile unsigned char *)(result + 1) = 1; break;
        case STORE: flip(record->surface, record->value, 1); break;
        case LOAD: result->number = flip(record->surface, record->value, 0); break;
        case UNFINISHED: continue;
        case TRAP_TOGETHER:
            if (count > 1) {
                dead = FAILED;
                return 0;
            }
            break;
        case STATUS: dead = record->value; return 0;
        case STORE_VARIABLE: flip(bound, record->value, 1); break;
        case DIE: _exit(7);
        default: CHECK(!"an operation");
        }
        marks[row] = 2;
    }
    return 0;
}

int cuCtxSynchronize(void)
{
    while (hangs)
        pause();
    ALIVE;
    return 0;
}
