import { listen, listenerFor, testHostileRequests } from '@rail/conformance'
import Koa from 'koa'
// @ts-expect-error: the alias has no types; its surface here is that of Koa 3.
import Koa2 from 'koa2'
import { appOf } from '../app.js'

testHostileRequests({ name: 'Koa 3', start: () => listen(listenerFor(appOf(Koa))) })
testHostileRequests({ name: 'Koa 2', start: () => listen(listenerFor(appOf(Koa2))) })
