// Values to bins: twin of agnoboost.kernels.compiled.binning.encode. VALUE is the type of the values.
//
// A thread stays with one feature; a block has the cuts of FEATURES features at hand. Threads of a block may be of any
// number: every loop goes on in strides.

// How many of the 255 sorted cuts lie below a number.
__device__ int below(const double* cuts, double number)
{
    int place = 0;
    for (int half = 128; half > 0; half >>= 1)
        place += half * (cuts[place + half - 1] < number);
    return place;
}

extern "C" __global__ void encode(i64 rows, i64 features, const VALUE* values, i64 next_row, i64 next_feature,
                                  const double* cuts, const u8* categorical, const u8* missing, i64 together,
                                  i64 stride, u8* codes)
{
    extern __shared__ double own[];
    i64 first = blockIdx.y * together;
    i64 count = features - first < together ? features - first : together;
    for (i64 place = threadIdx.y * blockDim.x + threadIdx.x; place < count * 255; place += blockDim.x * blockDim.y)
        own[place] = cuts[first * 255 + place];
    __syncthreads();
    for (i64 feature = first + threadIdx.x; feature < first + count; feature += blockDim.x)
        for (i64 row = (i64)blockIdx.x * blockDim.y + threadIdx.y; row < rows; row += (i64)gridDim.x * blockDim.y) {
            double value = (double)values[row * next_row + feature * next_feature];
            u8 code;
            if (value != value)
                code = missing[feature];
            else if (categorical[feature])
                code = (u8)value;
            else
                code = (u8)below(own + (feature - first) * 255, value);
            codes[row * stride + feature] = code;
        }
}
