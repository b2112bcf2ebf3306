import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { busiest, type Herd, herd, later, mean, naive, rail } from '../test/support/herd.js'

const [WIDTH, PANEL, LEFT, SECONDS, MOST] = [720, 170, 60, 8, 500] as const

/** The picture docs/guides/client-herd.svg: the requests in each second, with naive clients and with @rail/client. */
export async function drawHerd(): Promise<string> {
  const height = 2 * PANEL + 40
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>500 clients refused together: requests per second, with naive clients and with @rail/client</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    panel(0, 'naive: everyone waits for exactly Retry-After', '#c0392b', await herd(naive, 100, 1)),
    panel(PANEL, '@rail/client, with its defaults', '#2471a3', await herd(rail, 100, 1)),
    ...Array.from({ length: SECONDS }, (_, second) => label(xOf(second) + 30, height - 22, 'middle', `${second}`)),
    label(
      WIDTH / 2,
      height - 6,
      'middle',
      'seconds after 500 clients were refused by a server that serves 100 a second',
    ),
    '</svg>',
    '',
  ].join('\n')
}

function panel(top: number, title: string, colour: string, seconds: Herd): string {
  const bottom = top + PANEL
  const after = later(seconds)
  const summary = `busiest later second ${busiest(after)}, mean ${Math.round(mean(after))}; ${seconds.reduce((sum, requests) => sum + requests)} requests in all`
  return [
    label(LEFT, top + 18, 'start', `${title} (${summary})`),
    `<path d="M${LEFT} ${bottom}H${WIDTH - 20}" stroke="#888"/>`,
    label(LEFT - 8, top + 40, 'end', `${MOST}`),
    label(LEFT - 8, bottom, 'end', '0'),
    ...seconds.map((requests, second) => {
      const height = Math.round((requests / MOST) * (PANEL - 36))
      const x = xOf(second)
      return `<rect x="${x}" y="${bottom - height}" width="60" height="${height}" fill="${second === 0 ? '#bbb' : colour}"/>`
    }),
  ].join('\n')
}

function xOf(second: number): number {
  return LEFT + 6 + second * 80
}

function label(x: number, y: number, anchor: 'start' | 'middle' | 'end', text: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`
}

const [, script] = process.argv
if (script === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../../../docs/guides/client-herd.svg', import.meta.url), await drawHerd())
}
