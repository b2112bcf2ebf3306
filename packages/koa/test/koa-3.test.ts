import { testAdapter } from '@rail/conformance'
import Koa from 'koa'
import { start } from './app.js'

testAdapter({ name: 'Koa 3', start: () => start(Koa) })
