// Writes data/vectors.json again, a step a line. Check the differences: every implementation relies on the vectors.
//   node -C @rail/source --import tsx packages/conformance/scripts/write-vectors.ts
import { writeFileSync } from 'node:fs'
import { goldenVectors } from './golden-vectors.js'

const json = (value: unknown): string => JSON.stringify(value)
const text = goldenVectors().map(({ name, limits, steps }) => {
  const limitLines = Object.entries(limits).map(([id, limit]) => `      ${json(id)}: ${json(limit)}`)
  const stepLines = steps.map((step) => `      ${json(step)}`)
  return `  {\n    "name": ${json(name)},\n    "limits": {\n${limitLines.join(',\n')}\n    },\n    "steps": [\n${stepLines.join(',\n')}\n    ]\n  }`
})
writeFileSync(new URL('../data/vectors.json', import.meta.url), `[\n${text.join(',\n')}\n]\n`)
