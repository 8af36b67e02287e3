// Dependent launches (sm_90): griddepcontrol through the runtime functions and inline assembly.
// targets: 90+
// cuda: 12.4+
extern "C" __global__ void dependent(float *out, const float *in)
{
    float factor = 2.5f * threadIdx.x;
#if !defined(__CUDACC_RTC__)
    cudaGridDependencySynchronize();
#endif
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = factor * in[threadIdx.x];
    asm volatile("griddepcontrol.launch_dependents;");
#if !defined(__CUDACC_RTC__)
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
