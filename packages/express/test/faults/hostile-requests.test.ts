import { testHostileRequests } from '@rail/conformance'
import express from 'express'
// @ts-expect-error: the alias has no types; its surface here is that of Express 5.
import express4 from 'express4'
import { start } from '../app.js'

testHostileRequests({ name: 'Express 5', start: () => start(express) })
testHostileRequests({ name: 'Express 4', start: () => start(express4) })
