import { edge } from '../../tsup.base.js'

export default edge({ entry: ['src/index.ts', 'src/adapter.ts', 'src/store.ts', 'src/read.ts'] })
