/** An exact rational number: `over / under`, the latter above 0. */
export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

export const ZERO: Fraction = { over: 0n, under: 1n }

export function whole(value: number | bigint): Fraction {
  return { over: BigInt(value), under: 1n }
}

export function ratio(over: number | bigint, under: number | bigint): Fraction {
  return { over: BigInt(over), under: BigInt(under) }
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under }
}

export function minus(a: Fraction, b: Fraction): Fraction {
  return plus(a, { over: -b.over, under: b.under })
}

export function times(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under }
}

export function dividedBy(a: Fraction, b: Fraction): Fraction {
  return b.over < 0n
    ? { over: -a.over * b.under, under: a.under * -b.over }
    : { over: a.over * b.under, under: a.under * b.over }
}

/** Below 0 where a < b, 0 where they are equal, above 0 where a > b. */
export function compare(a: Fraction, b: Fraction): number {
  const difference = a.over * b.under - b.over * a.under
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

export function least(a: Fraction, b: Fraction): Fraction {
  return compare(a, b) <= 0 ? a : b
}

export function most(a: Fraction, b: Fraction): Fraction {
  return compare(a, b) >= 0 ? a : b
}

export function floor(a: Fraction): bigint {
  const quotient = a.over / a.under
  return a.over < 0n && quotient * a.under !== a.over ? quotient - 1n : quotient
}

export function ceil(a: Fraction): bigint {
  return -floor({ over: -a.over, under: a.under })
}

/** The same number in lowest terms, so that long sums stay short. */
export function reduced({ over, under }: Fraction): Fraction {
  let [a, b] = [over < 0n ? -over : over, under]
  while (b !== 0n) [a, b] = [b, a % b]
  return a === 0n ? ZERO : { over: over / a, under: under / a }
}
