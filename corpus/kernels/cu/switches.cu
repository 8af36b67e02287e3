// Control flow: dense and sparse switches (brx.idx), nested breaks, goto, early return, a state machine.
// targets: 50+
// variants: -G
extern "C" __global__ void dense(int *out, const int *in)
{
    int x = in[threadIdx.x], y = in[threadIdx.x + 32];
    switch (x) {
    case 0: y += out[1]; break;
    case 1: y *= x + 3; out[4] = y; break;
    case 2: y -= 9; [[fallthrough]];
    case 3: y ^= in[5]; out[2] = y; break;
    case 4: y = __popc(y); break;
    case 5: out[3] = y / 7; break;
    case 6: y = min(y, out[9]); break;
    case 7: return;
    case 8: y = __clz(in[y]); out[y] = 1; break;
    case 9: y |= 1 << x; break;
    case 11: out[7] = y; y = 3; break;
    default: y = -1;
    }
    out[threadIdx.x] = y;
}
extern "C" __global__ void sparse(long long *out, long long key)
{
    switch (key) {
    case 3: *out += 7; break;
    case 100000: *out *= 5; break;
    case -5: *out = key; break;
    case 0x123456789abcdef: *out ^= 9; break;
    }
}
extern "C" __global__ void words(const char *text, int *count, int length)
{
    enum State { space, word, number, comment } state = space;
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        char c = text[i];
        switch (state) {
        case space:
            if (c == '#') state = comment;
            else if (c >= '0' && c <= '9') state = number;
            else if (c != ' ') state = word;
            break;
        case word:
            if (c == ' ') { count[0]++; state = space; }
            break;
        case number:
            if (c < '0' || c > '9') goto failed;
            count[1] = count[1] * 10 + c - '0';
            break;
        case comment:
            if (c == '\n') state = space;
        }
    }
    return;
failed:
    count[2] = -1;
}
