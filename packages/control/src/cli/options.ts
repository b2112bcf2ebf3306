import type { Option } from './command.js'

/** Options of every command. */
export const COMMON_OPTIONS = {
  json: { type: 'boolean', help: 'print one JSON object' },
  help: { type: 'boolean', short: 'h', help: 'print this help' },
  version: { type: 'boolean', help: 'print the version' },
} as const satisfies Record<string, Option>

/** Options of every command that calls the admin API. */
export const API_OPTIONS = {
  url: {
    type: 'string',
    value: '<url>',
    help: 'the control plane (default: RAIL_URL, else http://127.0.0.1:7245)',
  },
  token: { type: 'string', value: '<token>', help: 'an admin token (default: RAIL_TOKEN)' },
  'insecure-http': { type: 'boolean', help: 'send the token over plain http to another machine' },
} as const satisfies Record<string, Option>
