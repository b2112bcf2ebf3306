import { writeFileSync } from 'node:fs'
import { library } from '../../tsup.base.js'
import { planFileSchema } from './src/base/plan-schema.js'

export default library({
  entry: ['src/index.ts', 'src/sync-protocol.ts', 'src/cli.ts'],
  onSuccess: async () => writeFileSync('dist/plans.schema.json', `${JSON.stringify(planFileSchema(), undefined, 2)}\n`),
})
