import { listen, listenerFor, testAdapter } from '@rail/conformance'
import express from 'express'
import { appOf } from './app.js'

testAdapter({ name: 'Express 5', start: () => listen(listenerFor(appOf(express))) })
