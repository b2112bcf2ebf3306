import { testAdapter } from '@rail/conformance'
import express from 'express'
import { start } from './app.js'

testAdapter({ name: 'Express 5', start: () => start(express) })
