import type { PlanBody, StoredPlan } from '../../plans/plan-schemas.js'
import { type Command, textOf } from '../command.js'
import { bytesIn } from '../files.js'
import { CliError } from '../io.js'
import { LIMIT_OPTIONS, limitsIn, tokensIn } from '../limit-options.js'
import { tableLines } from '../table.js'

type ListedPlan = StoredPlan & { customers: number }

/** `plans`: lists them. */
export const plans: Command = {
  usage: '',
  summary: 'list the plans, their limits and how many customers they have',
  args: [0, 0],
  run: async ({ client, show }) => {
    const answer = await client().json<{ plans: ListedPlan[] }>('GET', '/v1/plans')
    const rows = answer.plans.map((plan) => [plan.name, limitsText(plan), String(plan.customers)])
    show(answer, () => tableLines(['PLAN', 'LIMITS', 'CUSTOMERS'], rows))
  },
}

/** `plans set`: creates or changes one. */
export const plansSet: Command = {
  usage: '<name>',
  summary: 'create a plan or change some of its limits',
  details: ['A limit is a number of tokens, tokens/window (100/10s), or none (to remove it).'],
  example: 'plans set free --per-second 10 --per-minute 300 --limit bulk=100/10s',
  args: [1, 1],
  options: {
    ...LIMIT_OPTIONS,
    file: { type: 'string', value: '<file>', help: 'the whole plan as JSON, instead of single limits' },
  },
  run: async ({ client, args: [name = ''], values, show }) => {
    const path = `/v1/plans/${encodeURIComponent(name)}`
    const before = await client().find<ListedPlan>(path)
    const file = textOf(values, 'file')
    const changes = limitsIn(values)
    if ((file === undefined) === (changes.length === 0)) {
      throw new CliError(
        2,
        `plans set: expected limits such as --per-second 10 or a --file, got ${file === undefined ? 'neither' : 'both'}.`,
      )
    }
    const body = file === undefined ? changed(before, changes) : jsonIn(file)
    const headers: Record<string, string> = before ? { 'if-match': `"${before.rev}"` } : { 'if-none-match': '*' }
    const answer = await client().json<StoredPlan>('PUT', path, { body, headers })
    show(answer, () => [`${name}: ${limitsText(answer)}. On all servers within 15 seconds.`])
  },
}

/** `plans remove`: removes one without customers. */
export const plansRemove: Command = {
  usage: '<name>',
  summary: 'remove a plan without customers',
  args: [1, 1],
  run: async ({ client, args: [name = ''], show }) => {
    await client().json('DELETE', `/v1/plans/${encodeURIComponent(name)}`)
    show({ removed: name }, () => [`${name} is removed.`])
  },
}

function changed(before: ListedPlan | undefined, changes: readonly [name: string, text: string][]): PlanBody {
  const limits = new Map(Object.entries(before?.limits ?? {}))
  for (const [name, text] of changes) {
    if (text === 'none') limits.delete(name)
    else limits.set(name, limitIn(text, name))
  }
  return { ...(before?.scopes && { scopes: before.scopes }), limits: Object.fromEntries(limits) }
}

function limitIn(text: string, name: string): NonNullable<PlanBody['limits']>[string] {
  const [tokens = '', per] = text.split('/')
  const advice = ' To remove the limit write none.'
  // The control plane checks the window.
  return per === undefined ? tokensIn(text, name, advice) : { tokens: tokensIn(tokens, name, advice), per: per as '1s' }
}

function jsonIn(file: string): object {
  const bytes = bytesIn(file)
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as object
  } catch (cause) {
    throw new CliError(2, `${file}: expected JSON, got something else. ${(cause as Error).message}.`, { cause })
  }
}

function limitsText({ limits = {}, scopes = {} }: PlanBody): string {
  const all = [
    ...Object.entries(limits),
    ...Object.entries(scopes).flatMap(([scope, its]) =>
      Object.entries(its).map(([name, limit]) => [`${scope}.${name}`, limit] as const),
    ),
  ]
  const texts = all.map(([name, limit]) => {
    if (typeof limit === 'number') return `${name} ${limit}`
    return `${name} ${limit.tokens}${limit.per === undefined ? '' : `/${limit.per}`}${limit.burst === undefined ? '' : ` burst ${limit.burst}`}`
  })
  return texts.length === 0 ? 'no limit' : texts.join(', ')
}
