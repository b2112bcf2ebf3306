import { Problem } from '../base/problem.js'
import { type Author, change } from '../records/history.js'
import type { Database } from '../store/database.js'
import { checkPrecondition, type Precondition } from '../store/precondition.js'
import { checkPlans } from './check.js'
import type { Settings } from './plan-schemas.js'
import { readSettings } from './settings.js'

/** Changes settings. Those left out stay. @throws Problem `invalid` for a default plan that does not exist, `stale` */
export function putSettings(
  db: Database,
  changes: { servers?: Settings['servers'] | undefined; defaultPlan?: string | null | undefined },
  precondition: Precondition,
  by: Author,
): Settings {
  return db.transaction(() => {
    const before = readSettings(db)
    checkPrecondition(precondition, before.rev, 'Settings')
    const { servers = before.servers, defaultPlan = before.defaultPlan } = changes
    if (defaultPlan !== null && db.first('SELECT 1 FROM plan WHERE name = ?', defaultPlan) === undefined) {
      const message = `expected the name of a plan or null, got ${JSON.stringify(defaultPlan)}.`
      throw new Problem('invalid', `defaultPlan: ${message}`, [{ path: 'defaultPlan', message }])
    }
    if (defaultPlan !== before.defaultPlan) checkPlans(db, { defaultPlan })
    const values: [name: string, before: string | null, after: string | null][] = [
      ['servers', before.servers, servers],
      ['default_plan', before.defaultPlan, defaultPlan],
    ]
    for (const [name, was, is] of values) {
      change(db, { ...by, kind: 'setting', id: name, before: was, after: is }, (rev) =>
        db.run(
          'INSERT INTO setting VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, rev = excluded.rev',
          name,
          is,
          rev,
        ),
      )
    }
    return readSettings(db)
  })
}
