import { testAdapter } from '../../src/index.js'
import { startPlain } from './plain-adapter.js'

testAdapter({ name: 'an adapter over Node alone', start: startPlain })
