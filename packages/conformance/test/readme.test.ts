import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the README has the app of Express as it is', () => {
  const [readme, app] = ['../README.md', '../../express/test/app.ts'].map((name) =>
    readFileSync(new URL(name, import.meta.url), 'utf8'),
  ) as [string, string]
  expect(readme).toContain(app.slice(app.indexOf('/** The app under test')))
})
