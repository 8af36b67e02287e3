// Warp reductions (sm_80).
// targets: 80+
extern "C" __global__ void reductions(int *out, unsigned *u)
{
    out[0] = __reduce_add_sync(~0u, out[1]), out[2] = __reduce_min_sync(~0u, out[3]), out[4] = __reduce_max_sync(1, out[5]);
    u[0] = __reduce_add_sync(~0u, u[1]), u[2] = __reduce_min_sync(~0u, u[3]), u[4] = __reduce_max_sync(1, u[5]);
    u[6] = __reduce_and_sync(~0u, u[7]), u[8] = __reduce_or_sync(~0u, u[9]), u[10] = __reduce_xor_sync(~0u, u[11]);
}
