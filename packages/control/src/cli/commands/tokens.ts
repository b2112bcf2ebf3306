import { SCOPES, type Scope } from '../../access/token.js'
import type { TokenInfo } from '../../access/token-schema.js'
import { addToken, type NewToken } from '../../access/tokens.js'
import { openDatabase } from '../../store/database.js'
import { type Command, textOf } from '../command.js'
import { checkData } from '../files.js'
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
    show(answer, () => tableLines(['TOKEN', 'SCOPE', 'LABEL', 'CREATED', 'LAST USED'], rows))
  },
}

/** `tokens create`: creates one, by the API or, if no token is left, in the data directory. */
export const tokensCreate: Command = {
  usage: '',
  summary: 'create a token (offline with --data)',
  details: ['If the last admin token is lost, create one on the machine of the control plane with --data.'],
  example: 'tokens create --scope sync --label Frankfurt',
  args: [0, 0],
  options: {
    scope: { type: 'string', value: `<${SCOPES.join('|')}>`, help: 'what the token may do' },
    label: { type: 'string', value: '<text>', help: 'what it is for, shown in lists and in the history' },
    data: { type: 'string', value: '<directory>', help: 'write to this data directory instead of calling the API' },
  },
  run: async ({ client, values, show }) => {
    const scope = SCOPES.find((one) => one === textOf(values, 'scope'))
    const label = textOf(values, 'label')
    if (scope === undefined)
      throw new CliError(2, `--scope: expected sync, read or admin, got ${inWords(textOf(values, 'scope'))}.`)
    if (label === undefined || label === '')
      throw new CliError(2, `--label: expected what the token is for, got ${inWords(label)}.`)
    const data = textOf(values, 'data')
    const answer =
      data === undefined
        ? await client().json<NewToken>('POST', '/v1/tokens', { body: { scope, label } })
        : await createdIn(data, scope, label)
    show(answer, () => [answer.token])
  },
}

/** `tokens remove`: revokes one. */
export const tokensRemove: Command = {
  usage: '<token>',
  summary: 'revoke a token at once',
  args: [1, 1],
  run: async ({ client, args: [selector = ''], show }) => {
    await client().json('DELETE', `/v1/tokens/${encodeURIComponent(selector)}`)
    show({ removed: selector }, () => [`${selector} is no longer valid.`])
  },
}

async function createdIn(data: string, scope: Scope, label: string): Promise<NewToken> {
  checkData(data)
  const now = Date.now()
  const db = await openDatabase({ directory: data, now })
  try {
    return addToken(db, scope, label, { author: 'data directory', at: now })
  } finally {
    db.close()
  }
}

function inWords(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text)
}
