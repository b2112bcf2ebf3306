import type { RouteOptions } from 'fastify'
import { z } from 'zod'
import { problemSchema } from './problem-schema.js'

/** An OpenAPI document, as far as we read it. */
export interface OpenApi {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly [part: string]: unknown
}

/** The schemas of one route, where it has them. */
interface RouteSchemas {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly params?: z.ZodType
  readonly querystring?: z.ZodType
  readonly headers?: z.ZodType
  readonly body?: z.ZodType
  readonly response?: Readonly<Record<string, z.ZodType>>
}

/** The OpenAPI 3.1 document of the routes, from the schemas that validate requests and type replies. */
export function openApiFor(routes: readonly RouteOptions[], version: string): OpenApi {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas: Record<string, unknown> = {}
  const schemaOf = schemaWriter(schemas)
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    for (const method of [route.method].flat()) {
      if (method === 'HEAD') continue
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, schemaOf) }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Rail control plane', version, license: { name: 'MIT' } },
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: {
        Problem: {
          description: 'Any error.',
          content: { 'application/problem+json': { schema: schemaOf(problemSchema) } },
        },
      },
    },
  }
}

type SchemaWriter = (schema: z.ZodType, io?: 'input' | 'output') => Record<string, unknown>

function operationOf({ schema, config }: RouteOptions, schemaOf: SchemaWriter): Record<string, unknown> {
  // Routes are registered with zod schemas only. Fastify's own type does not have them.
  const { summary, tags, params, querystring, headers, body, response = {} } = (schema ?? {}) as RouteSchemas
  const parameters = [
    ...parametersOf('path', schemaOf, params),
    ...parametersOf('query', schemaOf, querystring),
    ...parametersOf('header', schemaOf, headers),
  ]
  return {
    summary,
    tags,
    ...(config?.scope === 'none' ? { security: [] } : { security: [{ token: [] }], 'x-scope': config?.scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: { [typeOf(body)]: { schema: schemaOf(body, 'input') } } } }),
    responses: {
      ...Object.fromEntries(Object.entries(response).map(([status, answer]) => [status, responseOf(answer, schemaOf)])),
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

function responseOf(answer: z.ZodType, schemaOf: SchemaWriter): Record<string, unknown> {
  if (answer instanceof z.ZodUndefined) return { description: 'Done.' }
  return { description: 'Success.', content: { [typeOf(answer)]: { schema: schemaOf(answer) } } }
}

/** Text is CSV here, everything else JSON. */
function typeOf(schema: z.ZodType): string {
  return schema instanceof z.ZodString ? 'text/csv' : 'application/json'
}

function parametersOf(
  where: 'path' | 'query' | 'header',
  schemaOf: SchemaWriter,
  schema: z.ZodType | undefined,
): Record<string, unknown>[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }))
}

/** Writes schemas. Named parts go to the document's components, where references find them. */
function schemaWriter(components: Record<string, unknown>): SchemaWriter {
  return (schema, io = 'output') => {
    const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
    const { $schema, $defs, ...rest } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as Shape
    Object.assign(components, $defs)
    return rest
  }
}

interface Shape extends Record<string, unknown> {
  readonly $defs?: Record<string, unknown>
}
