/** Whether a header is a well-formed List (RFC 9651 section 4.2.1). A pattern decides: inner lists nest one level only. */
export function isList(text: string): boolean {
  pattern ??= listPattern()
  return pattern.test(text)
}

/** Made at the first use, so that an import makes nothing. */
let pattern: RegExp | undefined

function listPattern(): RegExp {
  const string = String.raw`"(?:[ !#-[\]-~]|\\["\\])*"`
  const display = '%"(?:[ !#$&-~]|%[0-9a-f]{2})*"'
  const number = String.raw`-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])`
  const other = String.raw`:[A-Za-z0-9+/]*=*:|\?[01]|@-?\d{1,15}(?![\d.])|[A-Za-z*][!#$%&'*+\-.^_\`|~A-Za-z0-9:/]*`
  const bare = `(?:${string}|${display}|${number}|${other})`
  const parameters = String.raw`(?:; *[a-z*][a-z0-9_\-.*]*(?:=${bare})?)*`
  const item = bare + parameters
  const member = String.raw`(?:${item}|\( *(?:${item}(?: +${item})* *)?\)${parameters})`
  return new RegExp(String.raw`^ *(?:${member}(?:[ \t]*,[ \t]*${member})*[ \t]*)?$`)
}
