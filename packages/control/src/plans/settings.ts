import type { Reader } from '../store/database.js'
import type { Settings } from './plan-schemas.js'

/** The settings. @default servers: 'each', no default plan */
export function readSettings(db: Reader): Settings {
  const rows = db.all<{ name: string; value: string | null; rev: number }>('SELECT name, value, rev FROM setting')
  const values = new Map(rows.map(({ name, value }) => [name, value]))
  return {
    servers: values.get('servers') === 'split' ? 'split' : 'each',
    defaultPlan: values.get('default_plan') ?? null,
    rev: Math.max(0, ...rows.map(({ rev }) => rev)),
  }
}
