/* A driver that only starts, with a status and a version from the environment. */
#include <stdlib.h>

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return number("FAKE_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
    *version = number("FAKE_VERSION", 13000);
    return 0;
}
