// sm_100 for all families: work stealing, st.bulk, ldmatrix and stmatrix of bytes, bulk copies to shared::cta, hints.
// targets: 100+
// cuda: 12.9+
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void steal(int *out)
{
    __shared__ alignas(16) uint4 answer;
    __shared__ cuda::std::uint64_t bar;
    ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
    uint4 copy = answer;
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy)) {
        out[0] = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(copy);
        out[1] = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<int>(copy);
        int first[4];
        ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid(first, copy);
        out[2] = first[1];
    }
}
extern "C" __global__ void copies(void *global, unsigned size)
{
    __shared__ alignas(128) char buffer[1024];
    __shared__ cuda::std::uint64_t bar;
    ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, buffer, global, size, &bar);
    ptx::cp_async_bulk_cp_mask(ptx::space_global, ptx::space_shared, global, buffer, size, 0xff);
    ptx::st_bulk(buffer, 64, ptx::n32_t<0>{});
}
