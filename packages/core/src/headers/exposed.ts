import type { Decision } from '../bucket/decision.js'
import type { Field } from './field.js'
import { type HeaderStyle, styleOf } from './header-style.js'

/**
 * The same headers, and their names in `Access-Control-Expose-Headers`, so that scripts in browsers can read them.
 *
 * @param styles One style or several, such as `[draft11, xRateLimit]`.
 * @example
 * rateLimit({ identify, limits, headers: exposed(draft11) })
 *
 * @throws RailError `RAIL_BAD_OPTION` for anything but styles
 */
export function exposed(styles: HeaderStyle | readonly HeaderStyle[]): HeaderStyle {
  const style = styleOf(styles)
  return {
    name: `exposed(${style.name})`,
    writes: style.writes,
    fieldsFor(decision, epochMs) {
      const fields = style.fieldsFor(decision, epochMs)
      const names = fields.map(({ name }) => name)
      if (hasRetryAfter(decision)) names.push('Retry-After')
      if (names.length === 0) return fields
      const exposing: Field = { name: 'Access-Control-Expose-Headers', value: names.join(', '), merge: 'list' }
      return [...fields, exposing]
    },
  }
}

/** Whether the response will have `Retry-After`: a refusal has it unless no wait helps. */
function hasRetryAfter(decision: Decision | undefined): boolean {
  return decision === undefined || (!decision.allowed && decision.retryAfterMs !== Number.POSITIVE_INFINITY)
}
