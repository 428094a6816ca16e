// What a keeper of rows does on a GPU: margins, sums by cell, joint histograms. All sums are whole numbers.
//
// WEIGHT and LABEL are the types in which weights and labels are held, JOINT that of entries of joint histograms.
// Bins lie row after row, `stride` bytes each, a multiple of 4: a *word* is four neighbouring features of a row.
// Threads of a block may be of any number: every loop goes on in strides.

enum { SLOPE, TOP, REACH, SHRINK, MIDDLE };     // places in `rule`; MIDDLE: of margin 0 in tables of psi
enum { UNIT, WEIGHT_UNIT, LABEL_UNIT, GRAIN };  // places in `units`

#define FIRST_ROW ((i64)blockIdx.x * blockDim.x + threadIdx.x)
#define ALL_THREADS ((i64)gridDim.x * blockDim.x)

// weight * psi'(H): Huber's, or by the table `slopes` of another potential.
__device__ i64 slope_at(i64 margin, const i64* rule, const double* slopes, WEIGHT weight)
{
    if (slopes)
        return (i64)rint((double)weight * slopes[margin + rule[MIDDLE]]);
    return (i64)weight * huber_slope(margin, rule[SLOPE], rule[TOP], rule[REACH]);
}

// psi(H): Huber's, or by the table `heights`.
__device__ double height_at(i64 margin, const i64* rule, const double* units, const double* heights)
{
    if (heights)
        return heights[margin + rule[MIDDLE]];
    return huber_height(margin, rule[REACH], units[UNIT]);
}

// Note a row that has become active, as its number, or inactive, as ~number. Beyond `room` rows are only counted.
__device__ void note_crossing(i64 row, int old, int now, i64 reach, WEIGHT weight, i64 room, i64* noted, u64* count)
{
    bool active = size_of(now) <= reach;
    if (weight == 0 || active == (size_of(old) <= reach))
        return;
    u64 place = atomicAdd(count, 1ULL);
    if (place < (u64)room)
        noted[place] = active ? row : ~row;
}

// H <- H + steps of case A, summed up by feature.
extern "C" __global__ void move(i64 rows, i64 stride, const u8* codes, i64 moves, const i64* feature, const int* table,
                                const i64* rule, const WEIGHT* weight, int* margins, i64 room, i64* noted, u64* count)
{
    for (i64 row = FIRST_ROW; row < rows; row += ALL_THREADS) {
        int old = margins[row], now = old;
        for (i64 place = 0; place < moves; place++)
            now += table[place * 256 + codes[row * stride + feature[place]]];
        margins[row] = now;
        note_crossing(row, old, now, rule[REACH], weight[row], room, noted, count);
    }
}

// H <- H - shrink * sign(H), with sign(0) = +1.
extern "C" __global__ void shrink(i64 rows, const i64* rule, const WEIGHT* weight, int* margins, i64 room, i64* noted,
                                  u64* count)
{
    for (i64 row = FIRST_ROW; row < rows; row += ALL_THREADS) {
        int old = margins[row], now = old + (int)(old >= 0 ? -rule[SHRINK] : rule[SHRINK]);
        margins[row] = now;
        note_crossing(row, old, now, rule[REACH], weight[row], room, noted, count);
    }
}

// values <- weight * psi'(H) - before * values.
extern "C" __global__ void slopes(i64 rows, const i64* rule, const double* table, const WEIGHT* weight,
                                  const int* margins, i64 before, i64* values)
{
    for (i64 row = FIRST_ROW; row < rows; row += ALL_THREADS)
        values[row] = slope_at(margins[row], rule, table, weight[row]) - (before ? values[row] : 0);
}

// weight * psi(H) - label * H in grains: each thread's sum.
extern "C" __global__ void potentials(i64 rows, const i64* rule, const double* units, const double* heights,
                                      const WEIGHT* weight, const LABEL* label, const int* margins, i64* sums)
{
    i64 sum = 0;
    for (i64 row = FIRST_ROW; row < rows; row += ALL_THREADS) {
        i64 margin = margins[row];
        double real = units[WEIGHT_UNIT] * (double)weight[row] * height_at(margin, rule, units, heights);
        real = real - units[LABEL_UNIT] * (double)label[row] * ((double)margin * units[UNIT]);
        sum += (i64)rint(real / units[GRAIN]);
    }
    sums[FIRST_ROW] = sum;
}

// Add values[row] to all cells of every row. A block sums up the cells of some features in its own memory: the low 32
// bits and the high 32 bits apart, with a carry, since additions of 32 bits are what the hardware does there.
extern "C" __global__ void __launch_bounds__(1024, 2) // two blocks a multiprocessor
add_rows(i64 rows, i64 stride, i64 features, const i64* start, const u8* codes, i64 words, const i64* values, i64* sums)
{
    extern __shared__ u32 low[];
    i64 first = blockIdx.y * words * 4;
    i64 last = first + words * 4 < features ? first + words * 4 : features;
    int cells = (int)(start[last] - start[first]);
    u32* high = low + cells;
    int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (int cell = thread; cell < 2 * cells; cell += threads)
        low[cell] = 0;
    __syncthreads();
    for (i64 feature = first + 4 * threadIdx.x; feature < last; feature += 4 * blockDim.x) {
        int mine = last - feature < 4 ? (int)(last - feature) : 4;
        for (i64 row = (i64)blockIdx.x * blockDim.y + threadIdx.y; row < rows; row += (i64)gridDim.x * blockDim.y) {
            i64 value = values[row];
            if (value == 0)
                continue;
            u32 word = *(const u32*)(codes + row * stride + feature);
            for (int other = 0; other < mine; other++) {
                int cell = (int)(start[feature + other] - start[first]) + ((word >> 8 * other) & 255);
                u32 added = (u32)value, old = atomicAdd(low + cell, added);
                u32 carried = (u32)((u64)value >> 32) + (old + added < old ? 1 : 0);
                if (carried)
                    atomicAdd(high + cell, carried);
            }
        }
    }
    __syncthreads();
    for (int cell = thread; cell < cells; cell += threads) {
        u64 sum = (u64)high[cell] << 32 | low[cell];
        if (sum)
            atomicAdd((u64*)sums + start[first] + cell, sum);
    }
}

// How far a margin must move for its row to become active or inactive.
__device__ i64 distance(i64 margin, i64 reach)
{
    i64 size = size_of(margin);
    return size <= reach ? reach + 1 - size : size - reach;
}

// How many rows that weigh something are how many grains away from |H| = 1.
extern "C" __global__ void distances(i64 rows, const i64* rule, const WEIGHT* weight, const int* margins, i64 grain,
                                     i64 size, u64* counts)
{
    extern __shared__ u32 own[];
    for (i64 place = threadIdx.x; place < size; place += blockDim.x)
        own[place] = 0;
    __syncthreads();
    for (i64 row = FIRST_ROW; row < rows; row += ALL_THREADS) {
        i64 place = (distance(margins[row], rule[REACH]) + grain - 1) / grain;
        if (place < size && weight[row] != 0)
            atomicAdd(own + place, 1u);
    }
    __syncthreads();
    for (i64 place = threadIdx.x; place < size; place += blockDim.x)
        if (own[place])
            atomicAdd(counts + place, (u64)own[place]);
}

// Note the rows that weigh something and are at most so far away; beyond `room` they are only counted.
extern "C" __global__ void near(i64 rows, const i64* rule, const WEIGHT* weight, const int* margins, i64 furthest,
                                i64 room, i64* noted, u64* count)
{
    for (i64 row = FIRST_ROW; row < rows; row += ALL_THREADS)
        if (weight[row] != 0 && distance(margins[row], rule[REACH]) <= furthest) {
            u64 place = atomicAdd(count, 1ULL);
            if (place < (u64)room)
                noted[place] = row;
        }
}

// Add one word of a row to the joint histogram of feature `with` and all cells.
__device__ void join_word(i64 features, const i64* start, const u8* codes, i64 feature, i64 with, JOINT value,
                          JOINT* joint)
{
    joint += codes[with] * start[features];
    u32 word = *(const u32*)(codes + feature);
    for (i64 other = feature; other < features && other < feature + 4; other++, word >>= 8)
        add(joint + start[other] + (word & 255), value);
}

// The joint histogram of a feature and all cells: weights of active rows, by code of the feature and cell.
extern "C" __global__ void join(i64 rows, i64 stride, i64 features, const i64* start, const u8* codes, const i64* rule,
                                const WEIGHT* weight, const int* margins, i64 with, JOINT* joint)
{
    for (i64 row = (i64)blockIdx.x * blockDim.y + threadIdx.y; row < rows; row += (i64)gridDim.x * blockDim.y) {
        if (weight[row] == 0 || size_of(margins[row]) > rule[REACH])
            continue;
        for (i64 feature = 4 * threadIdx.x; feature < features; feature += 4 * blockDim.x)
            join_word(features, start, codes + row * stride, feature, with, (JOINT)weight[row], joint);
    }
}

// Bring kept joint histograms up to date with rows that have become active, or (~row) inactive, from number `seen` on.
extern "C" __global__ void rejoin(i64 changed, const i64* noted, i64 stride, i64 features, const i64* start,
                                  const u8* codes, const WEIGHT* weight, const i64* kept, const u64* joints,
                                  const i64* seen)
{
    i64 with = kept[blockIdx.y];
    JOINT* joint = (JOINT*)joints[blockIdx.y];
    for (i64 place = seen[blockIdx.y] + (i64)blockIdx.x * blockDim.y + threadIdx.y; place < changed;
         place += (i64)gridDim.x * blockDim.y) {
        bool left = noted[place] < 0;
        i64 row = left ? ~noted[place] : noted[place];
        JOINT value = (JOINT)weight[row];
        for (i64 feature = 4 * threadIdx.x; feature < features; feature += 4 * blockDim.x)
            join_word(features, start, codes + row * stride, feature, with, left ? -value : value, joint);
    }
}

// Gram columns of the stumps number `own` from the joint histogram of their feature, which has `codes` codes.
extern "C" __global__ void columns(i64 cells, i64 codes, const JOINT* joint, const i64* own, const i8* table,
                                   i64* found)
{
    table += own[blockIdx.y] * 256;
    found += own[blockIdx.y] * cells;
    for (i64 cell = FIRST_ROW; cell < cells; cell += ALL_THREADS) {
        i64 sum = 0;
        for (i64 code = 0; code < codes; code++)
            sum += table[code] * (i64)joint[code * cells + cell];
        found[cell] = sum;
    }
}
