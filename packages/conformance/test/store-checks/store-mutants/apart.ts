import type { Charge, Decision, Limit, Store } from '@rail/core'
import { ExactStore } from '../../../src/exact/exact-store.js'
import type { Fraction } from '../../../src/exact/fraction.js'
import { type Mutant, mutant } from './mutant.js'

/** With rows named as `name` names them. */
function naming(name: (scope: string, key: string) => string): new () => ExactStore {
  return class extends ExactStore {
    protected override rowId(scope: string, key: string): string {
      return name(scope, key)
    }
  }
}

/** A store for each key or scope, in a plain object. */
function inAPlainObject(of: (charge: Charge) => string): new () => Store {
  return class implements Store {
    readonly #stores: Record<string, ExactStore> = {}

    take(charges: readonly Charge[], now: number): Decision {
      return this.#of(of(charges[0] as Charge)).take(charges, now)
    }

    peek(charges: readonly Charge[], now: number): Decision {
      return this.#of(of(charges[0] as Charge)).peek(charges, now)
    }

    settle(): void {}

    reset(): void {}

    #of(key: string): ExactStore {
      this.#stores[key] ??= new ExactStore()
      return this.#stores[key]
    }
  }
}

class RemembersOneSetOfLimits extends ExactStore {
  readonly #sets = new Map<number, readonly Limit[]>()

  protected override decide(
    charges: readonly Charge[],
    now: number,
    commit: boolean,
    before: readonly Charge[],
  ): Decision {
    const replaced = charges.map((charge) => {
      const limits = this.#sets.get(charge.limits.length) ?? charge.limits
      this.#sets.set(limits.length, limits)
      return { ...charge, limits }
    })
    return super.decide(replaced, now, commit, before)
  }
}

class WaitsIn32Bits extends ExactStore {
  protected override drainMs(tokens: Fraction, limit: Limit): number {
    return super.drainMs(tokens, limit) | 0
  }
}

const utf8 = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text))

/** Changes that many stores make to strings. */
const MANGLED: readonly (readonly [fault: string, change: (text: string) => string])[] = [
  ['spaces are trimmed', (text) => text.trim()],
  ['case is ignored', (text) => text.toLowerCase()],
  ['accents are composed', (text) => text.normalize('NFC')],
  ['lone surrogates become one character', utf8],
  ['only the first 1,000 characters count', (text) => text.slice(0, 1_000)],
  ['only the first and the last 1,000 characters count', (text) => text.slice(0, 1_000) + text.slice(-1_000)],
  ['it ends at NUL', (text) => text.split('\0')[0] ?? ''],
  ['only what is in braces counts', (text) => /\{([^}]+)\}/.exec(text)?.[1] ?? text],
  ['numbers are read as such', (text) => (Number.isNaN(Number(text)) ? text : String(Number(text)))],
  [
    'characters are cut to 8 bits',
    (text) => text.replace(/[\s\S]/g, (character) => String.fromCharCode(character.charCodeAt(0) & 0xff)),
  ],
]

const ANY_KEY = 'any string but "" is a key of its own: __proto__, 10 kB, braces, newlines, emoji, lone surrogates'
const ANY_SCOPE = 'any string is a scope of its own'
const RUN_TOGETHER = 'a scope, a key and a name are never run together'

/** What breaks the sentences about which bucket is charged. */
export const APART_MUTANTS: readonly Mutant[] = [
  mutant(
    'one key has a bucket of its own in each scope, and a charge without a scope is in the scope ""',
    'scopes are ignored',
    naming((_, key) => key),
  ),
  mutant(
    'customers are counted apart',
    'keys are ignored',
    naming((scope) => scope),
  ),
  ...MANGLED.flatMap(([fault, change]) => [
    mutant(
      ANY_KEY,
      fault,
      naming((scope, key) => JSON.stringify([scope, change(key)])),
    ),
    mutant(
      ANY_SCOPE,
      fault,
      naming((scope, key) => JSON.stringify([change(scope), key])),
    ),
  ]),
  mutant(
    ANY_KEY,
    'a property of an object',
    inAPlainObject((charge) => charge.key),
  ),
  mutant(
    ANY_SCOPE,
    'a property of an object',
    inAPlainObject((charge) => charge.scope ?? ''),
  ),
  ...[':', '|', '/', '.', '\0', '}'].map((separator) =>
    mutant(
      RUN_TOGETHER,
      `joined by ${JSON.stringify(separator)}`,
      naming((scope, key) => `${scope}${separator}${key}`),
    ),
  ),
  mutant(
    RUN_TOGETHER,
    'quoted without escaping',
    naming((scope, key) => `["${scope}","${key}"]`),
  ),
  mutant(
    'customers whose limits differ in number and names are counted apart on one store, in any order',
    'one set of limits for each number',
    RemembersOneSetOfLimits,
  ),
  mutant('limits of very different sizes keep their own pace under one key', 'waits have 32 bits', WaitsIn32Bits),
]
