import { listen, listenerFor, testAdapter } from '@rail/conformance'
import Koa from 'koa'
import { appOf } from './app.js'

testAdapter({ name: 'Koa 3', start: () => listen(listenerFor(appOf(Koa))) })
