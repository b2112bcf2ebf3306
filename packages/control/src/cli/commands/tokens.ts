import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SCOPES, type Scope } from '../../access/token.js'
import type { TokenInfo } from '../../access/token-schema.js'
import { addToken, type NewToken } from '../../access/tokens.js'
import { FILE_NAME, openDatabase } from '../../store/database.js'
import { type Command, textOf } from '../command.js'
import { CliError } from '../io.js'
import { tableLines, timeText } from '../table.js'

/** `tokens`: lists them. */
export const tokens: Command = {
  usage: '',
  summary: 'list the tokens, without their secrets',
  args: [0, 0],
  run: async ({ client, show }) => {
    const answer = await client().json<{ tokens: TokenInfo[] }>('GET', '/v1/tokens')
    const rows = answer.tokens.map(({ selector, scope, label, createdAt, usedAt }) => [
      selector,
      scope,
      label,
      timeText(createdAt),
      timeText(usedAt),
    ])
    show(answer, () => tableLines(['TOKEN', 'SCOPE', 'LABEL', 'MADE', 'LAST USED'], rows))
  },
}

/** `tokens create`: makes one, over the API or, where no token is left, in the data directory. */
export const tokensCreate: Command = {
  usage: '--scope sync|read|admin --label text [--data ./rail-data]',
  summary: 'make a token; with --data in that directory, for who has lost the last admin token',
  args: [0, 0],
  options: { scope: { type: 'string' }, label: { type: 'string' }, data: { type: 'string' } },
  run: async ({ client, values, show }) => {
    const scope = SCOPES.find((known) => known === textOf(values, 'scope'))
    const label = textOf(values, 'label')
    if (scope === undefined) throw new CliError(2, `Say what it may do: --scope ${SCOPES.join('|')}.`)
    if (label === undefined || label === '') throw new CliError(2, 'Say what it is for: --label text.')
    const data = textOf(values, 'data')
    const answer =
      data === undefined
        ? await client().json<NewToken>('POST', '/v1/tokens', { body: { scope, label } })
        : await createdIn(data, scope, label)
    show(answer, () => [answer.token])
  },
}

/** `tokens remove`: ends one. */
export const tokensRemove: Command = {
  usage: '<token>',
  summary: 'end a token at once',
  args: [1, 1],
  run: async ({ client, args: [selector = ''], show }) => {
    await client().json('DELETE', `/v1/tokens/${encodeURIComponent(selector)}`)
    show({ removed: selector }, () => [`${selector} is no longer valid.`])
  },
}

async function createdIn(data: string, scope: Scope, label: string): Promise<NewToken> {
  if (!existsSync(join(data, FILE_NAME))) throw new CliError(2, `There is no control plane's data in ${data}.`)
  const now = Date.now()
  const db = await openDatabase({ directory: data, now })
  try {
    return addToken(db, scope, label, { author: 'data directory', at: now })
  } finally {
    db.close()
  }
}
