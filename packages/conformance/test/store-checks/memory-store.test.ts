import { MemoryStore } from '@rail/core'
import { testStore } from '../../src/index.js'

testStore({ name: 'memory', create: () => new MemoryStore() })
