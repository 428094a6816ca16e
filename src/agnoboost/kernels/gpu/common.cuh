// What all our sources begin with.

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ void add(i32* sum, i32 value) { atomicAdd(sum, value); }
__device__ void add(i64* sum, i64 value) { atomicAdd((u64*)sum, (u64)value); }

__device__ i64 size_of(i64 margin) { return margin < 0 ? -margin : margin; }

// Huber's psi'(H) in whole numbers, and psi(H): see agnoboost.rounds.stumps.counting.HuberPsi.
__device__ i64 huber_slope(i64 margin, i64 slope, i64 top, i64 reach)
{
    if (size_of(margin) <= reach)
        return slope * margin;
    return margin > 0 ? top : -top;
}

__device__ double huber_height(i64 margin, i64 reach, double unit)
{
    double size = (double)size_of(margin) * unit;
    return size_of(margin) <= reach ? 0.5 * size * size : size - 0.5;
}
