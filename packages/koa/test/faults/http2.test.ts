import { listenHttp2, testAdapter } from '@rail/conformance'
import Koa from 'koa'
import { start } from '../app.js'

testAdapter({ name: 'Koa 3 over HTTP/2', start: () => start(Koa, undefined, listenHttp2) })
