import { unexpected } from '../base/errors.js'

/**
 * Serialises a String (RFC 9651 section 4.1.6).
 *
 * @throws RailError `RAIL_BAD_LIMIT` for anything but printable ASCII: a limit that was not made by limit(), which checks it
 */
export function serializeString(text: string): string {
  // Nearly every name: printable, and nothing to escape.
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  if (!/^[ -~]*$/.test(text)) throw unexpected('RAIL_BAD_LIMIT', 'name of a limit', 'printable ASCII', text)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
