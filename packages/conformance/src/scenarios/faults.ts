/**
 * What a function of the user's does for a request with a fault in it (`x-fault: identify rejects`), and `usually` for
 * any other. The result is wrong on purpose.
 */
export function faultOf<T>(where: string, fault: string | undefined, usually: T): T {
  if (fault === undefined || !fault.startsWith(`${where} `)) return usually
  const what = fault.slice(where.length + 1)
  if (what === 'throws') throw new Error('sorry')
  if (what === 'throws nothing') throw undefined
  if (what === 'throws route') throw 'route'
  if (what === 'throws router') throw 'router'
  if (what === 'rejects') return Promise.reject(new Error('sorry')) as T
  if (what === 'rejects with nothing') return Promise.reject() as T
  if (what === 'rejects with route') return Promise.reject('route') as T
  const later = what.startsWith('later ')
  const value = VALUES.get(later ? what.slice('later '.length) : what) as T
  return later ? (Promise.resolve(value) as T) : value
}

/** Wrong values, by name. Any other name is `undefined`. */
const VALUES = new Map<string, unknown>([
  ['empty string', ''],
  ['zero', 0],
  ['an object', {}],
  ['NaN', Number.NaN],
  ['minus one', -1],
  ['one and a half', 1.5],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['digits', '3'],
  ['null', null],
  ['numbers', [10]],
])
