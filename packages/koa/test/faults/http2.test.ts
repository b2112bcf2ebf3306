import { listenerFor, listenHttp2, testAdapter } from '@rail/conformance'
import Koa from 'koa'
import { appOf } from '../app.js'

testAdapter({ name: 'Koa 3 over HTTP/2', start: () => listenHttp2(listenerFor(appOf(Koa))) })
