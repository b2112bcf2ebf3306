/**
 * An HTTP-date (RFC 9110 section 5.6.7) in milliseconds since 1970, in any of its three forms: IMF-fixdate, RFC 850 and
 * asctime, all in UTC. `undefined` when malformed. (`Date.parse` reads asctime as local time.)
 *
 * @param nowMs The time now. RFC 850 has a year of two digits: a date more than 50 years ahead of now is in the past.
 */
export function parseHttpDate(value: string, nowMs: number): number | undefined {
  const found = FORMS.map((form) => form.exec(value)).find((match) => match !== null)
  if (found?.groups === undefined) return undefined
  const { year = '', month = '', day = '', time = '' } = found.groups
  const inYear = (fullYear: number): number | undefined => utc(fullYear, monthOf(month), Number(day), time)
  if (year.length === 4) return inYear(Number(year))
  const century = Math.floor(new Date(nowMs).getUTCFullYear() / 100) * 100
  const guesses = [century + 100, century, century - 100].map((base) => inYear(base + Number(year)))
  return guesses.find((guess) => guess !== undefined && guess <= nowMs + FIFTY_YEARS_MS)
}

/** Milliseconds since 1970 of a day and a time `hh:mm[:ss]` in UTC; `undefined` for a day or time that does not exist. */
export function utc(year: number, month: number, day: number, time: string): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const midnight = Date.UTC(year, month, day)
  // Date.UTC reads 31 February as a day of March, and the years 0 to 99 as 1900 to 1999.
  if (!(month >= 0 && month < 12 && year >= 100) || new Date(midnight).getUTCDate() !== day) return undefined
  if (hours > 23 || minutes > 59 || seconds > 60) return undefined
  return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000
}

/** The number of a month, from 0, by its first three letters; -1 for anything else. */
export function monthOf(name: string): number {
  return MONTHS.indexOf(name.toLowerCase())
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const FIFTY_YEARS_MS = 50 * 365.25 * 86_400_000

const FORMS = [
  /^[a-z]{3}, (?<day>\d\d) (?<month>[a-z]{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/i,
  /^[a-z]{6,9}, (?<day>\d\d)-(?<month>[a-z]{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/i,
]
