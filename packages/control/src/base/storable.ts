/**
 * Whether SQLite keeps a text as it is: it would end one at the character 0, and half a surrogate pair has no form in UTF-8.
 * Such a text would come back as another, and a row that is found under another name than it has is found again and again.
 */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

/** The text that is stored for it: what cannot be is U+FFFD. */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.replaceAll(new RegExp(UNSTORABLE, 'gu'), '\uFFFD')
}

const UNSTORABLE = /\0|\p{Surrogate}/u
/** What is wrong with a text that is not storable. */
export const NOT_STORABLE = 'A text has neither the character 0 nor half a surrogate pair in it.'
