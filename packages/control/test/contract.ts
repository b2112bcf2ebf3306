import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

interface Media {
  readonly schema: object
}
interface Operation {
  readonly responses: Readonly<Record<string, { $ref?: string; content?: Readonly<Record<string, Media>> }>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: { readonly Problem: { content: Readonly<Record<string, Media>> } } }
}

/** What the served OpenAPI document promises, to hold answers against. */
export interface Contract {
  /** Fails the test where an answer is not as documented. */
  check(method: string, path: string, status: number, type: string, body: unknown): void
}

/** Reads the OpenAPI document that a control plane serves. */
export async function contractOf(url: string): Promise<Contract> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const ajv = new Ajv2020({ strict: false, formats: { uri: true } })
  const compiled = new Map<object, ValidateFunction>()
  const validatorFor = (schema: object): ValidateFunction => {
    const known = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, known)
    return known
  }
  const operationFor = (method: string, path: string): Operation | undefined => {
    const bare = path.split('?')[0] as string
    const exact = document.paths[bare]
    const template =
      exact ??
      Object.entries(document.paths).find(([pattern]) =>
        new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
      )?.[1]
    return template?.[method.toLowerCase()]
  }
  return {
    check: (method, path, status, type, body) => {
      const operation = operationFor(method, path)
      const documented = operation?.responses[String(status)]
      if (status < 400) expect(documented, `${method} ${path} documents ${status}`).toBeDefined()
      const content = documented?.content ?? (status >= 400 ? document.components.responses.Problem.content : undefined)
      if (content === undefined) {
        expect(body, `${method} ${path} ${status} has no body`).toBe('')
        return
      }
      const media = type.split(';')[0] as string
      expect(Object.keys(content), `${method} ${path} ${status} has a documented type`).toContain(media)
      const validate = validatorFor((content[media] as Media).schema)
      validate(body)
      expect(validate.errors ?? [], `${method} ${path} ${status} is as documented`).toEqual([])
    },
  }
}
