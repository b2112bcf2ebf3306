import type { Command } from '../command.js'
import { backup } from './backup.js'
import {
  customers,
  customersExport,
  customersImport,
  customersRemove,
  customersSet,
  customersShow,
} from './customers.js'
import { overrideClear, overrideSet } from './override.js'
import { plans, plansRemove, plansSet } from './plans.js'
import { changes, usage } from './records.js'
import { serve } from './serve.js'
import { servers, serversForget, settings } from './servers.js'
import { tokens, tokensCreate, tokensRemove } from './tokens.js'

/** All commands, by their words. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['serve', serve],
  ['backup', backup],
  ['plans', plans],
  ['plans set', plansSet],
  ['plans remove', plansRemove],
  ['customers', customers],
  ['customers show', customersShow],
  ['customers set', customersSet],
  ['customers remove', customersRemove],
  ['customers export', customersExport],
  ['customers import', customersImport],
  ['override set', overrideSet],
  ['override clear', overrideClear],
  ['servers', servers],
  ['servers forget', serversForget],
  ['settings', settings],
  ['usage', usage],
  ['changes', changes],
  ['tokens', tokens],
  ['tokens create', tokensCreate],
  ['tokens remove', tokensRemove],
])
