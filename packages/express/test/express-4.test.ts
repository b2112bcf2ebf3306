import { listen, listenerFor, testAdapter } from '@rail/conformance'
// @ts-expect-error: the alias has no types; its surface here is that of Express 5.
import express from 'express4'
import { appOf } from './app.js'

testAdapter({ name: 'Express 4', start: () => listen(listenerFor(appOf(express))) })
