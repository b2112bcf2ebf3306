import type { Change, Usage } from '../../records/record-schemas.js'
import { type Command, textOf } from '../command.js'
import { tableLines, timeText } from '../table.js'

/** `usage`: what customers did. */
export const usage: Command = {
  usage: '[--customer acme] [--from epoch-ms] [--to epoch-ms]',
  summary: 'show what customers did in the last hour, the 100 with the most refusals first',
  args: [0, 0],
  options: { customer: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' } },
  run: async ({ client, values, show }) => {
    const query = new URLSearchParams()
    for (const name of ['customer', 'from', 'to']) {
      const text = textOf(values, name)
      if (text !== undefined) query.set(name, text)
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
  usage: '[--kind customer] [--id acme]',
  summary: 'show who changed what, the latest change first',
  args: [0, 0],
  options: { kind: { type: 'string' }, id: { type: 'string' } },
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
      before === null ? 'made' : after === null ? 'removed' : 'changed',
      after === null ? '' : JSON.stringify(after),
    ])
    show(answer, () => tableLines(['WHEN', 'BY', 'WHAT', '', 'NOW'], rows))
  },
}
