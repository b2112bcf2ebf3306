import { library } from '../../tsup.base.js'

// tsup takes only dependencies and peer dependencies for external.
export default library({ entry: ['src/index.ts', 'src/cli.ts'], external: ['libsql'] })
