import { advice } from '../base/advice.js'
import { type RailError, railError, unexpected } from '../base/errors.js'
import { replacementFor } from '../base/suggestion.js'
import type { Decision } from '../bucket/decision.js'
import type { Field } from './field.js'

/**
 * A way to send limits to clients: `draft11`, `draft7`, `draft6`, `xRateLimit`, or one of your own. A style is only in the
 * bundles that import it.
 */
export interface HeaderStyle {
  /** What errors call it. */
  readonly name: string
  /** The names of the headers that it writes. Two styles that write one header cannot be combined. */
  readonly writes: readonly string[]
  /**
   * The headers of a decision.
   *
   * @param decision `undefined` where the store failed: no style may claim anything then.
   * @param epochMs The moment of the decision, in milliseconds since 1970. `undefined`: now
   */
  fieldsFor(decision: Decision | undefined, epochMs: number | undefined): readonly Field[]
}

/** The option `headers`: a style, several, or `false` for none. */
export type HeaderOption = HeaderStyle | readonly HeaderStyle[] | false

/**
 * One style that writes what all of the option's styles write.
 *
 * @throws RailError `RAIL_BAD_OPTION` for anything but styles, and for two styles that write one header
 */
export function styleOf(headers: unknown): HeaderStyle {
  const styles: readonly unknown[] = headers === false ? [] : [headers].flat()
  for (const style of styles) if (!isStyle(style)) throw notAStyle(style)
  if (styles.length === 0 && headers !== false) throw notAStyle(headers)
  const all = styles as readonly HeaderStyle[]
  checkWriters(all)
  return all.length === 1 ? (all[0] as HeaderStyle) : combined(all)
}

function combined(styles: readonly HeaderStyle[]): HeaderStyle {
  return {
    name: styles.map(({ name }) => name).join(', '),
    writes: styles.flatMap(({ writes }) => writes),
    fieldsFor: (decision, epochMs) => styles.flatMap((style) => style.fieldsFor(decision, epochMs)),
  }
}

function checkWriters(styles: readonly HeaderStyle[]): void {
  const writers = new Map<string, string>()
  for (const { name, writes } of styles) {
    for (const header of writes) {
      const other = writers.get(header)
      if (other !== undefined) {
        throw railError('RAIL_BAD_OPTION', `headers: ${other} and ${name} both send ${header}`, advice('Remove one.'))
      }
      writers.set(header, name)
    }
  }
}

function isStyle(style: unknown): boolean {
  const { writes, fieldsFor } = (style ?? {}) as Partial<HeaderStyle>
  return Array.isArray(writes) && typeof fieldsFor === 'function'
}

function notAStyle(got: unknown): RailError {
  const name = typeof got === 'function' ? got.name : got
  const toDo = replacementFor(name, 'Import draft11 and write headers: draft11, or headers: false.')
  return unexpected('RAIL_BAD_OPTION', 'headers', 'header styles, or false', got, toDo)
}
