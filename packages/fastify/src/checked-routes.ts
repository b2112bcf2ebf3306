import { subscribe } from 'node:diagnostics_channel'
import { railError } from '@rail/core/adapter'
import type { FastifyInstance } from 'fastify'

/** Throws for a `config.rail` that is wrong for a limiter. */
type Check = (rail: unknown, url: string) => void

/** Has every `config.rail` in a context, and in those inside, checked when the application starts. */
export function checkRoutesOf(context: object, check: Check): void {
  const checked: Checked = context
  if (Object.hasOwn(checked, CHECKS)) checked[CHECKS]?.push(check)
  else checked[CHECKS] = [check]
}

/** In the context itself: a program may have two copies of this file, as ES module and CommonJS. */
const CHECKS = Symbol.for('rail.fastify.checks')

interface Checked {
  [CHECKS]?: Check[]
}

/**
 * Fastify calls each new application's subscribers, and shows a route to nobody but those who were there before it. A plugin
 * comes later than the routes that are declared before it, or that do not wait for it.
 */
subscribe('fastify.initialization', (message) => {
  const { fastify: app } = message as { fastify: FastifyInstance }
  const routes: (() => void)[] = []
  app.addHook('onRoute', function ({ config, url }) {
    const rail: unknown = config?.rail
    if (rail !== undefined && rail !== false) routes.push(() => checkRoute(this, rail, url))
  })
  app.addHook('onReady', async () => {
    for (const check of routes) check()
  })
})

function checkRoute(context: object, rail: unknown, url: string): void {
  let isLimited = false
  // The prototype of a context is the context around it.
  for (let at: Checked | null = context; at !== null; at = Object.getPrototypeOf(at) as Checked | null) {
    if (!Object.hasOwn(at, CHECKS)) continue
    isLimited = true
    for (const check of at[CHECKS] ?? []) check(rail, url)
  }
  if (isLimited) return
  const fact = `config.rail of route ${url}: expected a limiter in the context of the route, got none`
  throw railError('RAIL_BAD_OPTION', fact, 'Write await app.register(rateLimit, options) there, or remove config.rail.')
}
