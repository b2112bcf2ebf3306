import type { Change, Usage } from '../../records/record-schemas.js'
import { type Command, textOf } from '../command.js'
import { CliError } from '../io.js'
import { tableLines, timeText } from '../table.js'

/** `usage`: requests by customer. */
export const usage: Command = {
  usage: '',
  summary: 'show requests allowed and refused per customer in the last hour, most refusals first',
  args: [0, 0],
  options: {
    customer: { type: 'string', value: '<id>', help: 'only this customer (default: the 100 with the most refusals)' },
    from: { type: 'string', value: '<ms>', help: 'from this time, in epoch milliseconds (default: an hour ago)' },
    to: { type: 'string', value: '<ms>', help: 'to this time, in epoch milliseconds (default: now)' },
  },
  run: async ({ client, values, show }) => {
    const query = new URLSearchParams()
    for (const name of ['customer', 'from', 'to']) {
      const text = textOf(values, name)
      if (text === undefined) continue
      if (name !== 'customer' && !/^\d+$/.test(text)) {
        throw new CliError(2, `--${name}: expected epoch milliseconds, got "${text}".`)
      }
      query.set(name, text)
    }
    const answer = await client().json<{ usage: Usage[] }>('GET', `/v1/usage?${query}`)
    const rows = answer.usage.map(({ customer, allowed, refused, peakPerSecond, refusedBy }) => [
      customer,
      String(allowed),
      String(refused),
      String(peakPerSecond),
      Object.entries(refusedBy)
        .map(([name, count]) => `${name} ${count}`)
        .join(', '),
    ])
    show(answer, () => tableLines(['CUSTOMER', 'ALLOWED', 'REFUSED', 'PEAK/S', 'REFUSED BY'], rows))
  },
}

/** `changes`: who changed what. */
export const changes: Command = {
  usage: '',
  summary: 'show who changed what, the latest change first',
  example: 'changes --kind customer --id acme',
  args: [0, 0],
  options: {
    kind: { type: 'string', value: '<kind>', help: 'only plan, customer, setting, token or server' },
    id: { type: 'string', value: '<id>', help: "only this customer's id, plan's name, …" },
  },
  run: async ({ client, values, show }) => {
    const query = new URLSearchParams()
    for (const name of ['kind', 'id']) {
      const text = textOf(values, name)
      if (text !== undefined) query.set(name, text)
    }
    const answer = await client().json<{ changes: Change[] }>('GET', `/v1/changes?${query}`)
    const rows = answer.changes.map(({ at, author, kind, id, before, after }) => [
      timeText(at),
      author,
      `${kind} ${id}`,
      before === null ? 'created' : after === null ? 'removed' : 'changed',
      after === null ? '' : JSON.stringify(after),
    ])
    show(answer, () => tableLines(['WHEN', 'BY', 'WHAT', '', 'NOW'], rows))
  },
}
