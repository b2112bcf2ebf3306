import { afterEach, describe, expect, test } from 'vitest'
import { answerJson } from '../support/fake-control-plane.js'
import { closeAll, synced } from '../support/synced.js'

afterEach(closeAll)

describe('a token that a function returns', () => {
  test.each<[string, (read: () => string) => () => string | Promise<string>]>([
    ['at once', (read) => read],
    ['as a promise', (read) => async () => read()],
  ])('%s is read for each exchange: a new one needs no restart', async (_, functionOf) => {
    let token = 'first'
    const { plane, plans, exchange, exchanged } = await synced({ token: functionOf(() => token) })
    plane.answering = (request, response) => {
      if (plane.sent.at(-1)?.token === `Bearer ${token}`) answerJson(response, plane.answerTo(request))
      else answerJson(response, { detail: 'no such token' }, 401)
    }
    await exchanged()
    token = 'second'
    plane.rev = 2
    await exchange()
    expect(plane.sent.map((sent) => sent.token)).toEqual(['Bearer first', 'Bearer second'])
    expect(plans.status()).toMatchObject({ rev: 2, problem: undefined })
    await plans.close()
    expect(plane.sent.at(-1)?.token).toBe('Bearer second')
  })

  test.each<[string, () => unknown, string]>([
    [
      'is missing',
      () => undefined,
      'token(): expected printable ASCII without spaces, got undefined. Return the token as a string.',
    ],
    [
      'would end the header',
      () => 'secret\r\nX: y',
      'token(): expected printable ASCII without spaces, got other characters. Return the token as a string.',
    ],
    [
      'is an error',
      () => {
        throw new Error('the vault is closed')
      },
      'the vault is closed',
    ],
    ['is a rejection', () => Promise.reject(new Error('the vault is closed')), 'the vault is closed'],
  ])(
    'and that %s is a failed exchange: the limits stay, and the next exchange reads it again',
    async (_, wrong, problem) => {
      let read: () => unknown = () => 'good'
      const { plane, plans, errors, perSecond, exchange, exchanged } = await synced({ token: () => read() as string })
      await exchanged()
      read = wrong
      await exchange()
      expect([plans.status().problem, perSecond('acme'), plane.requests.length]).toEqual([problem, 50, 1])
      expect(errors[0]?.message).toContain(problem)
      expect(JSON.stringify(errors.map(({ message }) => message))).not.toContain('secret')
      read = () => 'good'
      await exchange()
      expect(plans.status()).toMatchObject({ problem: undefined, failures: 0 })
    },
  )

  test('and that never comes is a failed exchange after the timeout', async () => {
    let token: string | Promise<string> = 'good'
    const { plane, plans, timers, exchange, exchanged } = await synced({ token: () => token })
    await exchanged()
    token = new Promise<string>(() => {})
    timers.fire((afterMs) => afterMs !== 10_007)
    await timers.running((afterMs) => afterMs === 10_007)
    timers.fire((afterMs) => afterMs === 10_007)
    await exchanged()
    expect([plans.status().problem, plane.requests.length]).toEqual(['no whole answer within 10007 ms', 1])
    token = 'good'
    await exchange()
    expect(plans.status().failures).toBe(0)
  })

  test('is in no error, even if the control plane repeats it', async () => {
    const { plane, plans, errors, exchange, exchanged } = await synced({ token: () => 'secret-token' })
    await exchanged()
    plane.answering = (_, response) => answerJson(response, { detail: 'no such token: secret-token' }, 401)
    await exchange()
    expect(plans.status().problem).toMatch(/answered 401 \(no such token: …\)/)
    expect(errors[0]?.message).not.toContain('secret')
  })
})
