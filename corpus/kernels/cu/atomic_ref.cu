// cuda::atomic_ref and cuda::atomic of libcu++: all memory orders, three scopes, waits and fences.
// targets: 70+
// cuda: 12.9+
#include <cuda/atomic>
template <cuda::thread_scope scope> __device__ void orders(int *i, unsigned long long *l, int x)
{
    cuda::atomic_ref<int, scope> a(*i);
    cuda::atomic_ref<unsigned long long, scope> b(*l);
    i[1] = a.load(cuda::memory_order_relaxed) + a.load(cuda::memory_order_acquire) + a.load();
    a.store(x, cuda::memory_order_relaxed), a.store(x + 1, cuda::memory_order_release), a.store(x + 2);
    i[2] = a.exchange(x, cuda::memory_order_acq_rel) + a.fetch_add(x, cuda::memory_order_relaxed);
    i[3] = a.fetch_sub(x) + a.fetch_and(x, cuda::memory_order_acquire) + a.fetch_or(x, cuda::memory_order_release);
    i[4] = a.fetch_xor(x, cuda::memory_order_acq_rel) + a.fetch_max(x) + a.fetch_min(x, cuda::memory_order_relaxed);
    int expected = x;
    i[5] = a.compare_exchange_strong(expected, 4) + a.compare_exchange_weak(expected, 3, cuda::memory_order_acquire);
    l[1] = b.fetch_add(x, cuda::memory_order_release) + b.exchange(3) + b.load(cuda::memory_order_acquire);
    b.store(l[2], cuda::memory_order_release);
}
extern "C" __global__ void references(int *i, unsigned long long *l, int x)
{
    orders<cuda::thread_scope_block>(i, l, x);
    orders<cuda::thread_scope_device>(i + 9, l + 9, x);
    orders<cuda::thread_scope_system>(i + 18, l + 18, x);
}
extern "C" __global__ void owned(float *out, double *d)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> counter;
    __shared__ cuda::atomic<short, cuda::thread_scope_block> small;
    if (threadIdx.x == 0) counter.store(0), small.store(1);
    __syncthreads();
    counter.fetch_add(1), small.fetch_add(2);
    cuda::atomic_ref<float, cuda::thread_scope_device> f(*out);
    f.fetch_add(1.5f, cuda::memory_order_relaxed);
    cuda::atomic_ref<double, cuda::thread_scope_device>(*d).fetch_max(2);
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_system);
    counter.wait(3, cuda::memory_order_acquire);
    counter.notify_all();
}
