/**
 * What a function of the user's does when a request asks for a fault in it (`x-fault: identify rejects`), and `usually`
 * otherwise. What comes of it is wrong on purpose.
 */
export function faultOf<T>(where: string, asked: string | undefined, usually: T): T {
  if (asked === undefined || !asked.startsWith(`${where} `)) return usually
  const what = asked.slice(where.length + 1)
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

/** Values that no one may be limited by. Any other name is `undefined`. */
const VALUES = new Map<string, unknown>([
  ['empty text', ''],
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
