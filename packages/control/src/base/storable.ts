/**
 * Whether SQLite keeps a string as it is: it ends one at the character 0, and half a surrogate pair has no form in UTF-8.
 * Such a string would come back as another one, and its row would be found again and again under the wrong name.
 */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text)
}

/** The string that is stored instead: characters that cannot be stored become U+FFFD. */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.replaceAll(new RegExp(UNSTORABLE, 'gu'), '\uFFFD')
}

const UNSTORABLE = /\0|\p{Surrogate}/u
/** What is wrong with a string that is not storable, after its subject. */
export const NOT_STORABLE = 'expected a string without the character 0 or half a surrogate pair.'
