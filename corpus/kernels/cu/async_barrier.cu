// cuda::barrier, cuda::pipeline and cuda::memcpy_async: mbarrier and cp.async as libcu++ emits them; latch, semaphore.
// targets: 70+
// cuda: 12.9+
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/utility>
#include <cooperative_groups.h>
extern "C" __global__ void barrier(int *out, const int *in)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ alignas(16) int buffer[1024];
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&ready, blockDim.x);
    block.sync();
    cuda::memcpy_async(block, buffer, in, cuda::aligned_size_t<16>(sizeof(buffer)), ready);
    auto token = ready.arrive();
    ready.wait(cuda::std::move(token));
    out[threadIdx.x] = buffer[threadIdx.x ^ 1];
    ready.arrive_and_wait();
    ready.arrive_and_drop();
}
extern "C" __global__ void pipeline(float *out, const float *in, int batches)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float stage[2][256];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int done = 0, sent = 0; done < batches; done++) {
        for (; sent < batches && sent < done + 2; sent++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[sent % 2], in + sent * 256, sizeof(float) * 256, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[done * 256 + threadIdx.x] = stage[done % 2][255 - threadIdx.x];
        pipe.consumer_release();
    }
}
extern "C" __global__ void latch(int *out)
{
    using Latch = cuda::latch<cuda::thread_scope_block>;
    using Slots = cuda::counting_semaphore<cuda::thread_scope_block, 4>;
    __shared__ alignas(64) char storage[128];
    Latch &open = *(Latch *)storage;
    Slots &slots = *(Slots *)(storage + 64);
    if (threadIdx.x == 0) new (&open) Latch(32), new (&slots) Slots(4);
    __syncthreads();
    open.arrive_and_wait();
    slots.acquire();
    out[0]++;
    slots.release();
}
