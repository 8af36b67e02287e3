// OpenCL C: address spaces of pointers, work items, local memory, vectors, barriers.
// targets: sm_50 sm_70 sm_90
kernel void saxpy(global float *y, global const float *restrict x, float a, uint n)
{
    uint i = __nvvm_read_ptx_sreg_tid_x() + __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
    if (i < n) y[i] += a * x[i];
}
kernel void blur(global uchar4 *out, global const uchar4 *in, constant float *weights, local float4 *line, int width)
{
    int i = __nvvm_read_ptx_sreg_tid_x();
    uchar4 c = in[i];
    line[i] = (float4)(c.x, c.y, c.z, c.w);
    __nvvm_bar_sync(0);
    float4 sum = 0;
    for (int k = -2; k <= 2; k++) sum += line[(i + k + width) % width] * weights[k + 2];
    out[i] = (uchar4)(sum.x, sum.y, sum.z, 255);
}
kernel __attribute__((reqd_work_group_size(8, 4, 2))) void sized(global double2 *out, private long by, global int *flags)
{
    local int shared_words[64];
    int i = __nvvm_read_ptx_sreg_tid_y();
    shared_words[i] = flags[i];
    __nvvm_bar_sync(0);
    out[i] = out[i].yx * by + shared_words[63 - i];
}
kernel void images(global short8 *out, global const short16 *in, global int3 *three)
{
    out[0] = in[1].lo + in[2].hi;
    three[0] = three[1] * three[2];
}
