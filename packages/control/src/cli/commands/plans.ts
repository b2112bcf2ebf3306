import { readFileSync } from 'node:fs'
import type { PlanBody, StoredPlan } from '../../plans/plan-schemas.js'
import { type Command, textOf } from '../command.js'
import { CliError } from '../io.js'
import { LIMIT_OPTIONS, limitsIn, tokensIn } from '../limit-options.js'
import { tableLines } from '../table.js'

type ListedPlan = StoredPlan & { customers: number }

/** `plans`: lists them. */
export const plans: Command = {
  usage: '',
  summary: 'list the plans',
  args: [0, 0],
  run: async ({ client, show }) => {
    const answer = await client().json<{ plans: ListedPlan[] }>('GET', '/v1/plans')
    const rows = answer.plans.map((plan) => [plan.name, limitsText(plan), String(plan.customers)])
    show(answer, () => tableLines(['PLAN', 'LIMITS', 'CUSTOMERS'], rows))
  },
}

/** `plans set`: makes or changes one. */
export const plansSet: Command = {
  usage: '<name> [--per-second 10] [--per-minute 300] [--limit bulk=100/10s] [--file plan.json]',
  summary: 'make a plan or change some of its limits (none takes one away); --file says the whole plan',
  args: [1, 1],
  options: { ...LIMIT_OPTIONS, file: { type: 'string' } },
  run: async ({ client, args: [name = ''], values, show }) => {
    const path = `/v1/plans/${encodeURIComponent(name)}`
    const before = await client().find<ListedPlan>(path)
    const file = textOf(values, 'file')
    const changes = limitsIn(values)
    if ((file === undefined) === (changes.length === 0)) {
      throw new CliError(2, 'Say limits, such as --per-second 10, or a --file with the whole plan.')
    }
    const body = file === undefined ? changed(before, changes) : jsonIn(file)
    const headers: Record<string, string> = before ? { 'if-match': `"${before.rev}"` } : { 'if-none-match': '*' }
    const answer = await client().json<StoredPlan>('PUT', path, { body, headers })
    show(answer, () => [`${name}: ${limitsText(answer)}. On all servers within 15 seconds.`])
  },
}

/** `plans remove`: removes one that nobody is on. */
export const plansRemove: Command = {
  usage: '<name>',
  summary: 'remove a plan that nobody is on',
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
  // The control plane checks the window, and says what is wrong with it.
  return per === undefined ? tokensIn(text, name) : { tokens: tokensIn(tokens, name), per: per as '1s' }
}

function jsonIn(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object
  } catch (cause) {
    throw new CliError(2, `${file}: ${(cause as Error).message}`, { cause })
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
