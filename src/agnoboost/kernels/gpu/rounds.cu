// Whole rounds on a GPU: a round is four launches, of which the host hears later.
//
// choose:  the best stump, from the sums of all cells (twin of agnoboost.kernels.compiled.best_stump, to the bit).
// refresh: the joint histogram of its feature takes in the rows that crossed |H| = 1 since it was last used.
// step:    sums += step * Gram column, from the joint histogram; and all margins move.
// settle:  rows that crossed are corrected in the sums.
//
// WEIGHT and JOINT are the types of weights and of joint histograms. A launch that finds nothing to do returns at once:
// many rounds are launched in advance, and the first one that needs the host stops all that follow.
// Threads of a block may be of any number: every loop goes on in strides.

enum { WIDTH = 256, PARTS = 8 };
#define LEVELS 1099511627776.0  // 2**40: see agnoboost.basics.conventions

// The names in agnoboost.rounds.stumps.device_rounds are these, in the same order.
enum { GO, NEEDS_JOINT, NEEDS_ROOM, NEEDS_SHRINK, WILD };
enum { STATUS, ROUND, UNTIL, LOGGED_FROM, STEPPING, FEATURE, SIGN, CROSSED, SETTLED, CORRECTION, DONE };  // in numbers
enum { STEP, SLOPE, TOP, REACH, MOST, ROOM };                                                             // in rule
enum { POTENTIAL, THRESHOLD, FACTOR, LABEL_TOTAL, MIN_GAIN, UNIT, WEIGHT_UNIT, LABEL_UNIT, GRAIN };  // in reals

struct Record {
    i64 feature, position, sign;
    double edge, potential;
    i8 table[WIDTH];
};

struct Board {
    i64 rows, features, stride, cells;
    const i64* start;
    const u8* categorical;
    const u8* codes;
    const WEIGHT* weight;
    i32* margins;
    i64* noted;  // rows that crossed, in the order of rounds; ~row if they became inactive
    i64* sums;   // of weight * psi', by cell
    const double* label;
    const i64* label_sums;
    const i64* rule;
    double* reals;
    i64* numbers;
    volatile double* best;  // of each feature: level, position, and the sum that stands for it
    volatile i64* position;
    volatile i64* edge;
    const u64* joints;  // by feature: address of its joint histogram, or 0; of a copy of its codes; and how many of
    const u64* columns;  // the rows that were noted the joint histogram has taken in
    i64* seen;
    i8* table;  // the stump of the present round
    Record* log;
};

struct Shared {
    i64 sums[2][WIDTH];
    double scores[WIDTH];
    int places[WIDTH];
    i64 sign;
    double edge;
    bool last, constant;
};

__device__ double level(double score) { return rint(score * LEVELS); }
__device__ int side_of(double value) { return level(value) > 0 ? 1 : level(value) < 0 ? -1 : 0; }

__device__ double edge_of(const Board& board, i64 cell, i64 sum)
{
    return board.label[cell] - board.reals[FACTOR] * (double)sum;
}

// The sum of WIDTH numbers, which are lost on the way.
__device__ i64 sum_of(i64* values)
{
    for (int half = WIDTH / 2; half > 0; half >>= 1) {
        __syncthreads();
        for (int place = threadIdx.x; place < half; place += blockDim.x)
            values[place] += values[place + half];
    }
    __syncthreads();
    i64 sum = values[0];
    __syncthreads();
    return sum;
}

// Bring the highest score to the front, and of equal ones that of the lowest place.
__device__ void find_best(double* scores, int* places)
{
    for (int half = WIDTH / 2; half > 0; half >>= 1) {
        __syncthreads();
        for (int one = threadIdx.x; one < half; one += blockDim.x) {
            int other = one + half;
            if (scores[other] > scores[one] || (scores[other] == scores[one] && places[other] < places[one])) {
                scores[one] = scores[other];
                places[one] = places[other];
            }
        }
    }
    __syncthreads();
}

// The best stump of one feature. The last cell of a feature is that of missing values.
__device__ void best_of_feature(const Board& board, Shared& own, i64 feature)
{
    i64 first = board.start[feature], last = board.start[feature + 1] - 1;
    int known = (int)(last - first), now = 0;
    bool categorical = board.categorical[feature];
    for (int cell = threadIdx.x; cell < known; cell += blockDim.x)
        own.sums[0][cell] = board.sums[first + cell];
    __syncthreads();
    for (int reach = 1; reach < known; reach *= 2, now = 1 - now) {  // sums up to each cell
        for (int cell = threadIdx.x; cell < known; cell += blockDim.x)
            own.sums[1 - now][cell] = own.sums[now][cell] + (cell >= reach ? own.sums[now][cell - reach] : 0);
        __syncthreads();
    }
    const i64* upto = own.sums[now];
    double missing = fabs(edge_of(board, last, board.sums[last]));
    for (int cell = threadIdx.x; cell < WIDTH; cell += blockDim.x) {
        own.scores[cell] = -1.0;
        own.places[cell] = cell;
        if (cell < known && !categorical) {
            i64 sum = upto[known - 1] - 2 * (cell ? upto[cell - 1] : 0);
            own.scores[cell] = level(fabs(edge_of(board, first + cell, sum)) + missing);
        }
    }
    find_best(own.scores, own.places);
    if (threadIdx.x)
        return;
    int place = own.places[0];
    board.best[feature] = own.scores[0];
    board.position[feature] = place;
    board.edge[feature] = upto[known - 1] - 2 * (place ? upto[place - 1] : 0);
    if (categorical) {  // added up in order: floats
        double score = 0.0;
        for (i64 cell = first; cell < last; cell++)
            score += fabs(edge_of(board, cell, board.sums[cell]));
        board.best[feature] = level(score + missing);
        board.position[feature] = 0;
    }
}

// Sign and edge of a feature's best stump, by one thread; for categories its table too.
__device__ void describe(const Board& board, Shared& own, i64 feature)
{
    i64 first = board.start[feature], last = board.start[feature + 1] - 1;
    if (board.categorical[feature]) {
        own.sign = 0;
        own.edge = 0.0;
        for (i64 cell = first; cell <= last; cell++) {
            double value = edge_of(board, cell, board.sums[cell]);
            int side = side_of(value);
            own.edge += (double)side * value;
            if (own.sign == 0)
                own.sign = side;
            board.table[cell - first] = (i8)(own.sign * side);
        }
        own.sign = own.sign ? own.sign : 1;
        return;
    }
    double missing = edge_of(board, last, board.sums[last]);
    double edge = edge_of(board, first + board.position[feature], board.edge[feature]);
    own.sign = level(edge) >= 0 ? 1 : -1;
    own.edge = (double)own.sign * edge + (double)side_of(missing) * missing;
}

// Values of the stump by bin, as the convention has it: see agnoboost.kernels.cells.
__device__ void make_table(const Board& board, Shared& own, i64 feature)
{
    i64 last = board.start[feature + 1] - board.start[feature] - 1;
    int missing = side_of(edge_of(board, board.start[feature] + last, board.sums[board.start[feature] + last]));
    for (int code = threadIdx.x; code < WIDTH; code += blockDim.x) {
        if (own.constant)
            board.table[code] = 1;
        else if (code > last)
            board.table[code] = 0;
        else if (!board.categorical[feature])
            board.table[code] = code == last ? (i8)(own.sign * missing) : code >= board.position[feature] ? 1 : -1;
    }
    __syncthreads();
}

// How the potential changes by a step, but for what is quadratic in it and for the rows that cross.
__device__ double first_change(const Board& board, Shared& own, i64 feature)
{
    i64 first = board.start[feature], codes = board.start[feature + 1] - first;
    for (int code = threadIdx.x; code < WIDTH; code += blockDim.x) {
        own.sums[0][code] = code < codes ? board.table[code] * board.sums[first + code] : 0;
        own.sums[1][code] = code < codes ? board.table[code] * board.label_sums[first + code] : 0;
    }
    double slope = (double)sum_of(own.sums[0]) / (double)board.rule[TOP], label = (double)sum_of(own.sums[1]);
    double length = (double)(own.sign * board.rule[STEP]) * board.reals[UNIT];
    return board.reals[WEIGHT_UNIT] * (length * slope) - board.reals[LABEL_UNIT] * (length * label);
}

// What the round does, by the block that was last to look at a feature.
__device__ void decide(const Board& board, Shared& own)
{
    i64* numbers = board.numbers;
    bool speaks = threadIdx.x == 0;
    for (int place = threadIdx.x; place < WIDTH; place += blockDim.x) {
        own.scores[place] = -2.0;
        own.places[place] = 0;
        for (i64 other = place; other < board.features; other += WIDTH)
            if (board.best[other] > own.scores[place]) {
                own.scores[place] = board.best[other];
                own.places[place] = (int)other;
            }
        own.sums[0][place] = board.start[0] + place < board.start[1] ? board.sums[board.start[0] + place] : 0;
    }
    find_best(own.scores, own.places);
    i64 feature = own.places[0];
    double constant = board.reals[LABEL_TOTAL] - board.reals[FACTOR] * (double)sum_of(own.sums[0]);
    double gain = board.reals[MIN_GAIN];  // by which a split must beat the constant
    if (speaks) {
        own.constant = gain > 0.0 && own.scores[0] <= level(fabs(constant) + gain);
        own.sign = level(constant) >= 0 ? 1 : -1;
        own.edge = (double)own.sign * constant;
        if (!own.constant)
            describe(board, own, feature);
    }
    __syncthreads();
    if (own.constant)
        feature = 0;
    make_table(board, own, feature);
    double change = first_change(board, own, feature);
    Record* record = board.log + (numbers[ROUND] - numbers[LOGGED_FROM]);
    for (int code = threadIdx.x; code < WIDTH; code += blockDim.x)
        record->table[code] = board.table[code];
    __syncthreads();
    if (!speaks)
        return;
    double potential = board.reals[POTENTIAL] + (double)numbers[CORRECTION] * board.reals[GRAIN];
    record->feature = numbers[FEATURE] = feature;
    record->position = own.constant ? 0 : board.position[feature];
    record->sign = numbers[SIGN] = own.sign;
    record->edge = own.edge;
    record->potential = potential;
    numbers[CORRECTION] = numbers[DONE] = 0;
    numbers[SETTLED] = numbers[CROSSED];
    bool adds = level(own.edge) > level(board.reals[THRESHOLD]);
    bool room = numbers[CROSSED] + board.rule[MOST] <= board.rule[ROOM];
    numbers[STATUS] = !adds ? NEEDS_SHRINK : !board.joints[feature] ? NEEDS_JOINT : !room ? NEEDS_ROOM : GO;
    numbers[STEPPING] = numbers[STATUS] == GO;
    numbers[ROUND] += numbers[STEPPING];
    board.reals[POTENTIAL] = numbers[STEPPING] ? potential + change : potential;
}

// A block a feature.
extern "C" __global__ void choose(const Board* given)
{
    __shared__ Shared own;
    const Board& board = *given;
    if (board.numbers[STATUS] != GO || board.numbers[ROUND] >= board.numbers[UNTIL]) {
        if (threadIdx.x == 0 && blockIdx.x == 0)
            board.numbers[STEPPING] = 0;
        return;
    }
    best_of_feature(board, own, blockIdx.x);
    if (threadIdx.x == 0) {
        __threadfence();
        own.last = atomicAdd((u64*)board.numbers + DONE, 1ULL) == (u64)board.features - 1;
        __threadfence();
    }
    __syncthreads();
    if (own.last)
        decide(board, own);
}

// Rows that crossed since the joint histogram of the stump's feature was last used.
extern "C" __global__ void refresh(const Board* given)
{
    const Board& board = *given;
    if (!board.numbers[STEPPING])
        return;
    i64 with = board.numbers[FEATURE], features = board.features, end = board.numbers[SETTLED];
    JOINT* joint = (JOINT*)board.joints[with];
    for (i64 place = board.seen[with] + (i64)blockIdx.x * blockDim.y + threadIdx.y; place < end;
         place += (i64)gridDim.x * blockDim.y) {
        bool left = board.noted[place] < 0;
        i64 row = left ? ~board.noted[place] : board.noted[place];
        const u8* codes = board.codes + row * board.stride;
        JOINT weight = (JOINT)board.weight[row], *own = joint + codes[with] * board.cells;
        for (i64 feature = threadIdx.x; feature < features; feature += blockDim.x)
            add(own + board.start[feature] + codes[feature], left ? -weight : weight);
    }
}

// Some cells of the Gram column, from some codes of the joint histogram.
__device__ void add_column(const Board& board, i64 tile, i64 part)
{
    i64 feature = board.numbers[FEATURE], codes = board.start[feature + 1] - board.start[feature], cells = board.cells;
    i64 taken = board.rule[SLOPE] * board.numbers[SIGN] * board.rule[STEP];
    const JOINT* joint = (const JOINT*)board.joints[feature];
    const i8* table = board.table;
    i64 each = (codes + PARTS - 1) / PARTS, end = (part + 1) * each < codes ? (part + 1) * each : codes;
    for (i64 cell = tile * WIDTH + threadIdx.x; cell < cells && cell < (tile + 1) * WIDTH; cell += blockDim.x) {
        i64 sum = 0;
        for (i64 code = part * each; code < end; code++)
            sum += table[code] * (i64)joint[code * cells + cell];
        if (sum)
            add(board.sums + cell, taken * sum);
    }
}

// What is quadratic in the step: by the weight of active rows on which the stump has an opinion.
__device__ void add_second_change(const Board& board)
{
    __shared__ i64 weights[WIDTH];
    i64 feature = board.numbers[FEATURE], first = board.start[feature], codes = board.start[feature + 1] - first;
    const JOINT* joint = (const JOINT*)board.joints[feature];
    for (int code = threadIdx.x; code < WIDTH; code += blockDim.x)
        weights[code] = code < codes && board.table[code] ? (i64)joint[code * board.cells + first + code] : 0;
    i64 active = sum_of(weights);
    double length = (double)board.rule[STEP] * board.reals[UNIT];
    if (threadIdx.x == 0)
        board.reals[POTENTIAL] += board.reals[WEIGHT_UNIT] * (0.5 * (length * length) * (double)active);
}

struct __align__(16) Four {
    i32 at[4];
};

// Where there is no room, rows are only counted.
__device__ void note_crossing(const Board& board, i64 row, i64 old, i64 now, i64 reach)
{
    bool active = size_of(now) <= reach;
    if ((size_of(old) <= reach) == active || board.weight[row] == 0)
        return;
    u64 place = atomicAdd((u64*)board.numbers + CROSSED, 1ULL);
    if (place < (u64)board.rule[ROOM])
        board.noted[place] = active ? row : ~row;
}

// Let some margins take the step, and note the rows that cross.
__device__ void move_rows(const Board& board, i64 block, i64 blocks)
{
    __shared__ i32 moves[WIDTH];
    i64 move = board.numbers[SIGN] * board.rule[STEP], reach = board.rule[REACH];
    for (int code = threadIdx.x; code < WIDTH; code += blockDim.x)
        moves[code] = (i32)(move * board.table[code]);
    __syncthreads();
    const u8* codes = (const u8*)board.columns[board.numbers[FEATURE]];
    i32* margins = board.margins;
    i64 fours = board.rows / 4, thread = block * blockDim.x + threadIdx.x, threads = blocks * blockDim.x;
    for (i64 four = thread; four < fours; four += threads) {
        Four old = ((const Four*)margins)[four], now;
        u32 word = ((const u32*)codes)[four];
#pragma unroll
        for (int other = 0; other < 4; other++)
            now.at[other] = old.at[other] + moves[word >> 8 * other & 255];
        ((Four*)margins)[four] = now;
#pragma unroll
        for (int other = 0; other < 4; other++)
            note_crossing(board, 4 * four + other, old.at[other], now.at[other], reach);
    }
    for (i64 row = 4 * fours + thread; row < board.rows; row += threads) {
        i32 old = margins[row];
        margins[row] = old + moves[codes[row]];
        note_crossing(board, row, old, margins[row], reach);
    }
}

// PARTS blocks for each tile of WIDTH cells; the others move margins.
extern "C" __global__ void step(const Board* given)
{
    const Board& board = *given;
    if (!board.numbers[STEPPING])
        return;
    i64 tiles = (board.cells + WIDTH - 1) / WIDTH, block = blockIdx.x;
    if (block == 0) {
        board.seen[board.numbers[FEATURE]] = board.numbers[SETTLED];
        add_second_change(board);
    }
    if (block < tiles * PARTS)
        add_column(board, block / PARTS, block % PARTS);
    else
        move_rows(board, block - tiles * PARTS, gridDim.x - tiles * PARTS);
}

__device__ i64 slope_at(const Board& board, i64 margin)
{
    return huber_slope(margin, board.rule[SLOPE], board.rule[TOP], board.rule[REACH]);
}

__device__ double height_at(const Board& board, i64 margin)
{
    return huber_height(margin, board.rule[REACH], board.reals[UNIT]);
}

// By how much psi of a row differs from what was expected of a row that does not cross, in grains.
__device__ i64 correction(const Board& board, i64 old, i64 move, double weight)
{
    double length = (double)move * board.reals[UNIT];
    double expected = length * (double)slope_at(board, old) / (double)board.rule[TOP];
    if (size_of(old) <= board.rule[REACH])
        expected += 0.5 * (length * length);
    double off = height_at(board, old + move) - height_at(board, old) - expected;
    return (i64)rint(board.reals[WEIGHT_UNIT] * weight * off / board.reals[GRAIN]);
}

// Rows that crossed in this round.
extern "C" __global__ void settle(const Board* given)
{
    const Board& board = *given;
    i64 first = board.numbers[SETTLED], last = board.numbers[CROSSED];
    if (!board.numbers[STEPPING] || first == last)
        return;
    if (last - first > board.rule[MOST]) {
        if (blockIdx.x == 0 && threadIdx.x == 0 && threadIdx.y == 0)
            board.numbers[STATUS] = WILD;
        return;
    }
    const u8* column = (const u8*)board.columns[board.numbers[FEATURE]];
    for (i64 place = first + (i64)blockIdx.x * blockDim.y + threadIdx.y; place < last;
         place += (i64)gridDim.x * blockDim.y) {
        bool left = board.noted[place] < 0;
        i64 row = left ? ~board.noted[place] : board.noted[place];
        const u8* codes = board.codes + row * board.stride;
        i64 move = board.numbers[SIGN] * board.rule[STEP] * board.table[column[row]];
        i64 now = board.margins[row], old = now - move, weight = (i64)board.weight[row];
        i64 taken = left ? board.rule[SLOPE] * move : 0;  // what the column has added already
        i64 error = weight * (slope_at(board, now) - slope_at(board, old) - taken);
        if (threadIdx.x == 0)
            add(board.numbers + CORRECTION, correction(board, old, move, (double)weight));
        for (i64 feature = threadIdx.x; feature < board.features; feature += blockDim.x)
            add(board.sums + board.start[feature] + codes[feature], error);
    }
}
