import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const path = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))
const FRAMEWORKS = ['express', 'fastify', 'hono', 'koa']
/** What the types of each build of Rail are found by. */
const TYPES = { 'the sources': ['@rail/source'], 'the built types': [] }

/**
 * The errors of a program under the strictest settings, in Rail's files and in the program: plugins' own types may be at
 * fault. `changed` replaces the text of one file.
 */
function errorsOf(file: string, customConditions: string[], changed: (name: string, text: string) => string): string[] {
  const options: ts.CompilerOptions = {
    customConditions,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  }
  const host = ts.createCompilerHost(options)
  const readFile = host.readFile.bind(host)
  host.readFile = (name) => {
    const text = readFile(name)
    return text === undefined ? undefined : changed(name, text)
  }
  host.getSourceFile = (name, version) => {
    const text = host.readFile(name)
    return text === undefined ? undefined : ts.createSourceFile(name, text, version)
  }
  const program = ts.createProgram([file], options, host)
  // Only the files that are reported: to check those of all plugins takes ten times as long.
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'))
  const diagnostics = own.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ])
  return [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...diagnostics].map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')
    return `${diagnostic.file?.fileName.replace(path('../../'), '') ?? ''}: ${text}`
  })
}

const asItIs = (_name: string, text: string): string => text

describe.each(Object.entries(TYPES))('by %s', (_, conditions) => {
  test.each(FRAMEWORKS)('a program with Rail for %s has no errors', (framework) => {
    expect(errorsOf(path(`programs/${framework}.ts`), conditions, asItIs)).toEqual([])
  })
})

test("a name of Rail's inside Fastify's module would mean another plugin's", () => {
  const inside = (name: string, text: string): string =>
    name.includes('packages/fastify/dist/index') ? text.replace('rail?: RailConfig', WITH_FASTIFYS_NAME) : text
  expect(errorsOf(path('programs/fastify.ts'), [], inside).join()).toMatch(
    /programs\/fastify\.ts: No overload matches.*missing the following properties.*: method, url, handler/,
  )
})

const WITH_FASTIFYS_NAME = 'rail?: false | RouteOptions<FastifyRequest> | undefined'

test('every plugin that is installed is in the program', () => {
  const { dependencies } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as { dependencies: object }
  const plugins = Object.keys(dependencies).filter((name) => /^@fastify\/|^mercurius$/.test(name))
  const program = readFileSync(path('programs/fastify.ts'), 'utf8')
  expect(plugins.filter((name) => !program.includes(`'${name}'`))).toEqual([])
  expect(plugins.length).toBeGreaterThanOrEqual(20)
})
