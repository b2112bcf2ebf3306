import { type HeaderStyle, styleOf } from './header-style.js'

/**
 * The same headers, but not on responses whose `Cache-Control` has `public` or `s-maxage` when the head is written (RFC 9111
 * sections 5.2.2.9 and 5.2.2.10). A shared cache may send these, with one customer's numbers, to others. Refusals keep
 * theirs, since no cache may store them.
 *
 * @param styles One style or several, such as `[draft11, xRateLimit]`.
 * @example
 * rateLimit({ identify, limits, headers: unshared(draft11) })
 *
 * @throws RailError `RAIL_BAD_OPTION` for anything but styles
 */
export function unshared(styles: HeaderStyle | readonly HeaderStyle[]): HeaderStyle {
  const style = styleOf(styles)
  return {
    name: `unshared(${style.name})`,
    writes: style.writes,
    fieldsFor(decision, epochMs) {
      const fields = style.fieldsFor(decision, epochMs)
      if (decision === undefined || !decision.allowed) return fields
      return fields.map((field) => ({ ...field, unless: isShared }))
    },
  }
}

function isShared(read: (name: string) => string | undefined): boolean {
  return /(^|,)\s*(public|s-maxage)\s*(=|,|$)/i.test(read('Cache-Control') ?? '')
}
