/** Whole numbers from 0 to below `bound`, the same for the same seed (G. Marsaglia, "Xorshift RNGs", 2003). */
export function randomNumbers(seed: number): (bound: number) => number {
  let state = seed | 0
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}
