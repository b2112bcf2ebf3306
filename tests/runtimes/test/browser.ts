import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundled } from './runtimes.js'

/** Opens a page in Chromium that runs the client's app against a server of another origin, and gives what it said. */
export async function askInBrowser(origin: string): Promise<unknown> {
  const script = await bundled('browser', 'client', ['browser'], { platform: 'browser' })
  const html = `<!doctype html><script type="module" src="/app.js"></script>`
  let tell: (said: unknown) => void
  const told = new Promise<unknown>((resolve) => {
    tell = resolve
  })
  const page = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method === 'POST') tell(JSON.parse(body))
    const isScript = request.url === '/app.js'
    response
      .writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' })
      .end(isScript ? script : html)
  })
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  const profile = mkdtempSync(join(tmpdir(), 'rail-browser-'))
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/?server=${encodeURIComponent(origin)}`
  // No sandbox: it needs rights that a container's root does not have, and the page is ours.
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run']
  const args = [...flags, `--user-data-dir=${profile}`, url]
  // In a process group of its own: its helpers outlive it, and write to the profile until they are killed too.
  const browser = spawn('chromium', args, { stdio: 'ignore', detached: true })
  const ended = once(browser, 'exit')
  try {
    const early = ended.then(([code]) => {
      throw new Error(`Chromium ended with ${code} before the page had spoken.`)
    })
    return await Promise.race([told, early])
  } finally {
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL')
    await ended.catch(() => {})
    page.closeAllConnections()
    page.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
