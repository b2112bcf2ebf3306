import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

interface Operation {
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, unknown>> }>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** The promises of the OpenAPI document, to check answers against. */
export interface Contract {
  /** Fails the test where an answer is not as documented. */
  check(method: string, path: string, status: number, type: string, body: unknown): void
}

/** Reads the OpenAPI document that a control plane serves. */
export async function contractOf(url: string): Promise<Contract> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'openapi')
  const pathOf = (path: string): string => {
    const bare = path.split('?')[0] as string
    const isMatch = (template: string) =>
      new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare)
    return document.paths[bare] ? bare : (Object.keys(document.paths).find(isMatch) ?? bare)
  }
  return {
    check: (method, path, status, type, body) => {
      const what = `${method} ${path} ${status}`
      const [template, verb, media] = [pathOf(path), method.toLowerCase(), type.split(';')[0] as string]
      const documented = document.paths[template]?.[verb]?.responses[String(status)]
      if (status < 400) expect(documented, `${what} is documented`).toBeDefined()
      if (documented && documented.content === undefined) {
        expect(body, `${what} has no body`).toBe('')
        return
      }
      const pointer = documented
        ? ['paths', template, verb, 'responses', String(status), 'content', media, 'schema']
        : ['components', 'responses', 'Problem', 'content', media, 'schema']
      const escaped = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      const validate = ajv.getSchema(`openapi#/${escaped.join('/')}`)
      expect(validate, `${what} has a documented type, not ${media}`).toBeDefined()
      validate?.(body)
      expect(validate?.errors ?? [], `${what} is as documented`).toEqual([])
    },
  }
}
