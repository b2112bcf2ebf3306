import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('docs/authors/adapter.md has the app of Express as it is', () => {
  const [page, app] = ['../../../docs/authors/adapter.md', '../../express/test/app.ts'].map((name) =>
    readFileSync(new URL(name, import.meta.url), 'utf8'),
  ) as [string, string]
  expect(page).toContain(app.slice(app.indexOf('/** The app under test')))
})
