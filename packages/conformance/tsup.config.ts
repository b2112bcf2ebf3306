import { library } from '../../tsup.base.js'

// The vectors are JSON for those who do not speak TypeScript, too.
export default library({ entry: ['src/index.ts', 'src/scenarios.ts'], publicDir: 'data' })
