// Stands in for `interned.ts` in the edge build, which remembers nothing.

export function interned<Limit>(
  _name: unknown,
  _tokens: unknown,
  _per: unknown,
  _burst: unknown,
  _counts: unknown,
  make: () => Limit,
): Limit {
  return make()
}

export function checkedBefore<Limit>(_array: readonly Limit[]): readonly Limit[] | undefined {
  return
}

export function rememberChecked(_array: readonly unknown[]): void {}
