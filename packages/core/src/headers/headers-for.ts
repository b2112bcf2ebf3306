import { checkOption, checkOptionNames } from '../base/check.js'
import { checkDecision, type Decision } from '../bucket/decision.js'
import { draft11 } from './draft-11.js'
import type { Field } from './field.js'
import { type HeaderOption, styleOf } from './header-style.js'

/** The options of {@link headersFor}. */
export interface HeaderOptions {
  /** A style, several, or `false` for no header. Two styles that write one header are an error. @default draft11 */
  readonly headers?: HeaderOption | undefined
  /** The moment of the decision, in milliseconds since 1970, for `X-RateLimit-Reset`. @default Date.now() */
  readonly epochMs?: number | undefined
}

/**
 * The headers of a decision, in one or several styles. A decision without limits has none. docs/headers.md shows each
 * style as it is sent.
 *
 * @throws RailError `RAIL_BAD_OPTION`, `RAIL_UNKNOWN_OPTION` for wrong options, and for anything but a decision
 */
export function headersFor(decision: Decision, options?: HeaderOptions): readonly Field[] {
  checkDecision(decision, 'headersFor()')
  if (options === undefined) return draft11.fieldsFor(decision, undefined)
  checkOptionNames(options, ['headers', 'epochMs'], 'headersFor()')
  const { headers = draft11, epochMs } = options
  checkOption('epochMs', epochMs, 'milliseconds since 1970', isMoment)
  const style = styleOf(headers)
  return decision.limits.length === 0 ? [] : style.fieldsFor(decision, epochMs)
}

const isMoment = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(Math.floor(value))
