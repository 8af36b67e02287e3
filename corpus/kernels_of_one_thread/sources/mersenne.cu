#include "one_thread.h"
SCRATCH u32 mt[624];
KERNEL(mersenne) {
    mt[0] = in[0];
    for (u32 i = 1; i < 624; i++) mt[i] = 1812433253u * (mt[i - 1] ^ mt[i - 1] >> 30) + i;
    for (u32 i = 0; i < 624; i++) { u32 y = (mt[i] & 0x80000000u) | (mt[(i + 1) % 624] & 0x7fffffffu); mt[i] = mt[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0); }
    for (u32 i = 0; i < n; i++) { u32 y = mt[i]; y ^= y >> 11; y ^= y << 7 & 0x9d2c5680u; y ^= y << 15 & 0xefc60000u; out[i] = y ^ y >> 18; }
}
