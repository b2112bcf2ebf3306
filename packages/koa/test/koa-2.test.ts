import { listen, listenerFor, testAdapter } from '@rail/conformance'
// @ts-expect-error: the alias has no types; its surface here is that of Koa 3.
import Koa from 'koa2'
import { appOf } from './app.js'

testAdapter({ name: 'Koa 2', start: () => listen(listenerFor(appOf(Koa))) })
