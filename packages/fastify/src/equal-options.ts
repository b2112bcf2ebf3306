/** Whether two objects of options say the same: the same values, or arrays of the same items. */
export function isEqual(options: object, others: object): boolean {
  const [a, b] = [{ ...options } as Record<string, unknown>, { ...others } as Record<string, unknown>]
  return Object.keys({ ...a, ...b }).every((name) => isSame(a[name], b[name]))
}

function isSame(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b
  return a.length === b.length && a.every((item, index) => item === b[index])
}
