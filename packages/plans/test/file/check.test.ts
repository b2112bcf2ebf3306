import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { check } from '../../src/file/check.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rail-check-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

function run(...args: string[]): { code: number; out: string; error: string } {
  const written = { out: '', error: '' }
  const write = (where: 'out' | 'error') => (line: string) => {
    written[where] += `${line}\n`
  }
  return { code: check(args, { out: write('out'), error: write('error') }), ...written }
}

describe('check', () => {
  test('a file without problems: 0, and its numbers', () => {
    const path = file('plans.yaml', 'plans:\n  free: {}\ncustomers:\n  a: {}\n  b: {}\n')
    expect(run('check', path)).toEqual({ code: 0, out: `${path}: no problems, 1 plan, 2 customers\n`, error: '' })
  })

  test('a file with one anchor and many aliases', () => {
    const others = Array.from({ length: 500 }, (_, index) => `  c${index}: *standard\n`).join('')
    const path = file('plans.yaml', `plans:\n  free: {}\ncustomers:\n  a: &standard { plan: free }\n${others}`)
    expect(run('check', path)).toEqual({ code: 0, out: `${path}: no problems, 1 plan, 501 customers\n`, error: '' })
  })

  test('an alias without an anchor before it: 1, at its line', () => {
    const path = file('plans.yaml', 'plans:\n  free: *later\n  pro: &later {}\n  max: *later\n  min: *no\n')
    expect(run('check', path)).toEqual({
      code: 1,
      out: expect.stringMatching(/:2:9: the document: .*&later.*\n.*:5:8: the document: .*&no\b.*\n$/),
      error: '',
    })
  })

  test('aliases of aliases of aliases: 1, quickly, and with a short output', () => {
    const level = (name: string, of: string): string => `${name}: &${name} [${Array(10).fill(of)}]\n`
    const levels = Array.from({ length: 30 }, (_, index) => level(`l${index + 1}`, `*l${index}`)).join('')
    const path = file('plans.yaml', `l0: &l0 [x]\n${levels}plans: { free: { limits: { per_second: *l30 } } }\n`)
    const { code, out } = run('check', path)
    expect(code).toBe(1)
    expect(out).toMatch(/plans\.free\.limits\.per_second: .*got an array of 10/)
    expect(out.length).toBeLessThan(10_000)
  })

  test.each([
    ['plans.yaml', 'plans:\n  free: {}\ncustomers:\n  caf\xe9: { plan: free }\n', '4:6'],
    ['plans.json', '{"plans":{"free":{}},\n"customers":{"caf\xe9":{}}}', '2:18'],
  ])('a file that is not UTF-8: 1, at the place, %s', (name, text, place) => {
    const path = file(name, Buffer.from(text, 'latin1'))
    const { code, out } = run('check', path)
    expect([code, out.split(': ')[0]]).toEqual([1, `${path}:${place}`])
    expect(out).toContain('UTF-8')
    expect(run('check', file(name, text)).code).toBe(0)
  })

  test('a wrong file: 1, and each problem at its line', () => {
    const good = file('good.json', '{"plans":{}}')
    const bad = file('bad.json', '{\n  "plans": {"free": {"limits": {"per_second": 0}}},\n  "custmers": {}\n}')
    const { code, out, error } = run('check', good, bad)
    expect([code, error]).toEqual([1, ''])
    expect(out.split('\n')).toEqual([
      `${good}: no problems, 0 plans, 0 customers`,
      expect.stringMatching(/bad\.json:3:3: custmers: .*Did you mean "customers"\?/),
      expect.stringMatching(/bad\.json:2:33: plans\.free\.limits\.per_second: .*got 0/),
      '',
    ])
  })

  test('--json: one object, with the same exit codes', () => {
    const good = file('good.yaml', 'plans: {}')
    const bad = file('bad.yaml', 'plans: 5')
    const { code, out } = run('check', '--json', good, bad)
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual({
      format: 1,
      files: [
        { path: good, ok: true, plans: 0, customers: 0, problems: [] },
        { path: bad, ok: false, problems: [{ path: 'plans', line: 1, column: 1, message: expect.any(String) }] },
      ],
    })
  })

  test.each([
    ['no command', [], /^command: /],
    ['another command', ['chek', 'x'], /^command: .*"chek"/],
    ['no file', ['check'], /^check: /],
    ['an unknown option', ['check', '--jason', 'x'], /--jason/],
    ['a file that is not there', ['check', 'no-such-file.yaml'], /ENOENT.*no-such-file/],
  ])('%s: 2, with an error on the error output', (_, args, message) => {
    const { code, out, error } = run(...args)
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(message)
  })

  test('--help: 0, and the help on the output', () => {
    expect(run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('Usage: rail-plans check') })
  })

  test('the package installs it as rail-plans, a name that no other package claims', () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    expect(manifest.publishConfig.bin).toEqual({ 'rail-plans': './dist/cli.js' })
  })

  test('as a program', () => {
    const path = file('plans.yaml', 'plans: 5')
    const cli = join(import.meta.dirname, '../../src/cli.ts')
    const { status, stdout } = spawnSync(
      process.execPath,
      ['-C', '@rail/source', '--import', 'tsx', cli, 'check', path],
      {
        cwd: import.meta.dirname,
        encoding: 'utf8',
      },
    )
    expect([status, stdout]).toEqual([1, expect.stringContaining(`${path}:1:1: plans: `)])
  })
})
