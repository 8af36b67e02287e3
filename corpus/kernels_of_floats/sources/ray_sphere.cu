#include "floats.h"
typedef struct { f32 x, y, z; } Vector;
TABLE f32 SPHERES[12] = { 0.0f, 0.0f, 4.0f, 1.0f, 1.5f, 0.25f, 3.0f, 0.75f, -2.0f, -0.5f, 5.0f, 1.25f };
FN Vector vector(f32 x, f32 y, f32 z) { Vector v; v.x = x; v.y = y; v.z = z; return v; }
FN Vector along(Vector a, Vector b, f32 t) { return vector(a.x + b.x * t, a.y + b.y * t, a.z + b.z * t); }
FN f32 dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
FN Vector unit(Vector a) { f32 s = 1.0f / SQRTF(dot(a, a)); return vector(a.x * s, a.y * s, a.z * s); }
// The distance, or -1.
FN f32 hit(Vector from, Vector to, Vector centre, f32 radius) {
    Vector o = along(from, centre, -1.0f); f32 b = dot(o, to), c = dot(o, o) - radius * radius, d = b * b - c;
    if (d < 0.0f) return -1.0f;
    f32 s = SQRTF(d), t = -b - s; return t > 0.0f ? t : -b + s > 0.0f ? -b + s : -1.0f;
}
// Rays that are reflected by three spheres: how often, and where they go.
KERNEL(ray_sphere) {
    for (u32 i = 0; i + 1 < n; i += 2) {
        Vector p = vector(0.0f, 0.0f, 0.0f), d = unit(vector((f32)(s32)in[i] * 0x1p-32f, (f32)(s32)in[i + 1] * 0x1p-32f, 1.0f)); f32 far = 0.0f; u32 bounces = 0, *o = out + 5 * (i / 2);
        ROLLED for (; bounces < 6; bounces++) {
            f32 best = 1e30f; u32 which = 3;
            ROLLED for (u32 k = 0; k < 3; k++) { const f32 *s = SPHERES + 4 * k; f32 t = hit(p, d, vector(s[0], s[1], s[2]), s[3]); if (t > 1e-3f && t < best) { best = t; which = k; } }
            if (which == 3) break;
            const f32 *s = SPHERES + 4 * which; p = along(p, d, best); far += best;
            Vector normal = unit(along(p, vector(s[0], s[1], s[2]), -1.0f)); d = unit(along(d, normal, -2.0f * dot(d, normal)));
        }
        o[0] = bounces; o[1] = bits32(far); o[2] = bits32(d.x); o[3] = bits32(d.y); o[4] = bits32(d.z);
    }
}
