import { MemoryStore } from '../../../core/src/memory/small-store.js'
import { testStore } from '../../src/index.js'

testStore({ name: 'memory, for small bundles', create: () => new MemoryStore() })
