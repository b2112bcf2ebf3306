import { localStore } from '@rail/core'
import { testStore } from '../../src/index.js'

testStore({ name: 'local, of one server', create: () => localStore() })
