import { listen, listenerFor, testHostileRequests } from '@rail/conformance'
import express from 'express'
// @ts-expect-error: the alias has no types; its surface here is that of Express 5.
import express4 from 'express4'
import { appOf } from '../app.js'

testHostileRequests({ name: 'Express 5', start: () => listen(listenerFor(appOf(express))) })
testHostileRequests({ name: 'Express 4', start: () => listen(listenerFor(appOf(express4))) })
