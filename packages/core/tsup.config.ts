import { library } from '../../tsup.base.js'

export default library({ entry: ['src/index.ts', 'src/adapter.ts', 'src/store.ts', 'src/read.ts'], target: 'es2022' })
