// The kernels of gpulint's own loads: see README.md beside this file. What gpulint brings is gpulint.ptx, which build.py
// makes of this; nothing is compiled by those who use it.
//
// Matrices are square and stored by rows. Blocks are one-dimensional. crates/runtime/src/native/kernels.rs has the same numbers
// for the launches, and a test compares them.

// Threads of a block, for every kernel.
#define THREADS 256

// gpulint_gemm: a block makes a square of the product of TILE by TILE elements, and walks along DEPTH of the sums at a time.
#define TILE 128
#define DEPTH 8

// Each thread makes 8 by 8 elements of it: four squares of 4 by 4 whose corners are half a tile apart. So the threads of a
// warp read neighbours in shared memory, four floats at a time.
#define HALF (TILE / 2)

// Four elements of a row, from a column that is a multiple of four; zeroes beyond the matrix. They add nothing to a sum.
static __device__ float4 four_of(const float *matrix, unsigned row, unsigned column, unsigned side)
{
    float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (row >= side || column >= side) {
        return four;
    }
    const float *start = matrix + (size_t)row * side + column;
    if (side % 4 == 0) {
        // Then every row starts where a float4 may.
        return *(const float4 *)start;
    }
    four.x = start[0];
    if (column + 1 < side) four.y = start[1];
    if (column + 2 < side) four.z = start[2];
    if (column + 3 < side) four.w = start[3];
    return four;
}

static __device__ void store_four(float *matrix, unsigned row, unsigned column, unsigned side, const float *four)
{
    if (row >= side) {
        return;
    }
    float *start = matrix + (size_t)row * side + column;
    if (side % 4 == 0) {
        if (column < side) {
            *(float4 *)start = make_float4(four[0], four[1], four[2], four[3]);
        }
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (column + i < side) start[i] = four[i];
    }
}

// out[i] = (x >> 8) / 2^24 - 0.5, where x = y ^ (y >> 16) and y = 1664525 i + 1013904223 seed + 12345, modulo 2^32.
//
// Every step is exact, so that every machine finds the same.
// Launch: any number of blocks of THREADS.
extern "C" __global__ void __launch_bounds__(THREADS) gpulint_fill(float *out, unsigned count, unsigned seed)
{
    const unsigned start = 1013904223u * seed + 12345u;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS) {
        unsigned mixed = 1664525u * (unsigned)i + start;
        mixed ^= mixed >> 16;
        out[i] = (float)(mixed >> 8) * (1.0f / 16777216.0f) - 0.5f;
    }
}

// c = a b. Each element is one sum in the order of the rows of b, by fused multiply-adds: the same bits on every card, in
// every run. `c` may be neither `a` nor `b`.
//
// Launch: ceil(side / TILE) by ceil(side / TILE) blocks of THREADS; x counts along the columns.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    gpulint_gemm(const float *a, const float *b, float *c, unsigned side)
{
    // Two of each: one is multiplied while the other is filled. `left` is transposed.
    __shared__ float left[2][DEPTH][TILE];
    __shared__ float right[2][DEPTH][TILE];

    const unsigned first_row = blockIdx.y * TILE;
    const unsigned first_column = blockIdx.x * TILE;
    // What this thread brings: four elements of a row of `a`, and four of a row of `b`.
    const unsigned left_row = threadIdx.x / 2;
    const unsigned left_column = threadIdx.x % 2 * 4;
    const unsigned right_row = threadIdx.x / 32;
    const unsigned right_column = threadIdx.x % 32 * 4;
    // What it makes: rows and columns of the tile from here on, and half a tile further.
    const unsigned row = threadIdx.x / 16 * 4;
    const unsigned column = threadIdx.x % 16 * 4;

    float sums[8][8] = {};
    float4 from_a = four_of(a, first_row + left_row, left_column, side);
    float4 from_b = four_of(b, right_row, first_column + right_column, side);
    unsigned now = 0;
    for (unsigned depth = 0; depth < side; depth += DEPTH) {
        left[now][left_column + 0][left_row] = from_a.x;
        left[now][left_column + 1][left_row] = from_a.y;
        left[now][left_column + 2][left_row] = from_a.z;
        left[now][left_column + 3][left_row] = from_a.w;
        *(float4 *)&right[now][right_row][right_column] = from_b;
        // One barrier is enough: what is overwritten in the next round was read before this one.
        __syncthreads();
        const unsigned next = depth + DEPTH;
        if (next < side) {
            from_a = four_of(a, first_row + left_row, next + left_column, side);
            from_b = four_of(b, next + right_row, first_column + right_column, side);
        }
#pragma unroll
        for (unsigned k = 0; k < DEPTH; k++) {
            float x[8], y[8];
            *(float4 *)&x[0] = *(const float4 *)&left[now][k][row];
            *(float4 *)&x[4] = *(const float4 *)&left[now][k][row + HALF];
            *(float4 *)&y[0] = *(const float4 *)&right[now][k][column];
            *(float4 *)&y[4] = *(const float4 *)&right[now][k][column + HALF];
#pragma unroll
            for (unsigned i = 0; i < 8; i++) {
#pragma unroll
                for (unsigned j = 0; j < 8; j++) {
                    sums[i][j] = __fmaf_rn(x[i], y[j], sums[i][j]);
                }
            }
        }
        now ^= 1;
    }
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        const unsigned at = first_row + row + i % 4 + i / 4 * HALF;
        store_four(c, at, first_column + column, side, &sums[i][0]);
        store_four(c, at, first_column + column + HALF, side, &sums[i][4]);
    }
}

// Adds to *differences how many elements differ in any bit.
//
// Launch: any number of blocks of THREADS.
extern "C" __global__ void __launch_bounds__(THREADS)
    gpulint_differences(const float *a, const float *b, unsigned count, unsigned *differences)
{
    __shared__ unsigned of_block;
    if (threadIdx.x == 0) {
        of_block = 0;
    }
    __syncthreads();
    const size_t first = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t step = (size_t)gridDim.x * THREADS;
    const unsigned fours = count / 4;
    unsigned found = 0;
    for (size_t i = first; i < fours; i += step) {
        // What the driver allocates starts where four can be read at once.
        const uint4 x = ((const uint4 *)a)[i];
        const uint4 y = ((const uint4 *)b)[i];
        found += (x.x != y.x) + (x.y != y.y) + (x.z != y.z) + (x.w != y.w);
    }
    for (size_t i = (size_t)fours * 4 + first; i < count; i += step) {
        found += __float_as_uint(a[i]) != __float_as_uint(b[i]);
    }
    if (found > 0) {
        atomicAdd(&of_block, found);
    }
    __syncthreads();
    if (threadIdx.x == 0 && of_block > 0) {
        atomicAdd(differences, of_block);
    }
}
