import { ExactStore } from '../../src/exact/exact-store.js'
import { testStore } from '../../src/index.js'

testStore({ name: 'in exact arithmetic', create: () => new ExactStore() })
