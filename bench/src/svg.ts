/** A line in a chart: points from left to right, on logarithmic axes where the chart says so. */
export interface Line {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** A chart of the docs. */
export interface Curve {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly lines: readonly Line[]
  readonly logarithmic?: boolean
}

const WIDTH = 360
const HEIGHT = 260
const PLOT = { left: 52, right: 16, top: 36, bottom: 44 }
const COLOURS = ['#0969da', '#bc4c00', '#6e7781']

/** The charts side by side, as one SVG that needs nothing else and is legible on light and dark pages. */
export function svgOf(curves: readonly Curve[]): string {
  const charts = curves.map((curve, index) => `<g transform="translate(${index * WIDTH} 0)">\n${chart(curve)}\n</g>`)
  const size = `width="${WIDTH * curves.length}" height="${HEIGHT}" viewBox="0 0 ${WIDTH * curves.length} ${HEIGHT}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="system-ui, sans-serif" font-size="11">`,
    `<title>${curves.map(({ title }) => title).join('; ')}</title>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...charts,
    '</svg>\n',
  ].join('\n')
}

function chart({ title, x, y, lines, logarithmic = false }: Curve): string {
  const points = lines.flatMap((line) => line.points)
  const ticks = [...new Set(points.map(([at]) => at))].sort((a, b) => a - b)
  const scale = logarithmic ? Math.log : (value: number) => value
  const [first, last] = [scale(ticks[0] ?? 0), scale(ticks.at(-1) ?? 1)]
  const step = niceStep(Math.max(...points.map(([, value]) => value)))
  const most = step * Math.ceil(Math.max(...points.map(([, value]) => value)) / step)
  const left = (at: number) =>
    round(PLOT.left + ((scale(at) - first) / (last - first || 1)) * (WIDTH - PLOT.left - PLOT.right))
  const top = (value: number) => round(HEIGHT - PLOT.bottom - (value / most) * (HEIGHT - PLOT.top - PLOT.bottom))
  const marks: number[] = []
  for (let mark = 0; mark <= most; mark += step) marks.push(mark)
  return [
    `<text x="${PLOT.left}" y="16" font-size="12" font-weight="600">${title}</text>`,
    ...marks.map(
      (mark) =>
        `<path d="M${PLOT.left} ${top(mark)}H${WIDTH - PLOT.right}" stroke="#d0d7de"/>` +
        `<text x="${PLOT.left - 6}" y="${top(mark) + 4}" text-anchor="end" fill="#57606a">${short(mark)}</text>`,
    ),
    ...ticks.map(
      (tick) =>
        `<text x="${left(tick)}" y="${HEIGHT - PLOT.bottom + 16}" text-anchor="middle" fill="#57606a">${short(tick)}</text>`,
    ),
    `<text x="${WIDTH / 2}" y="${HEIGHT - 8}" text-anchor="middle" fill="#57606a">${x}</text>`,
    `<text transform="translate(12 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle" fill="#57606a">${y}</text>`,
    ...lines.map(({ name, points: own }, index) => {
      const colour = COLOURS[index % COLOURS.length] ?? ''
      const path = own.map(([at, value]) => `${left(at)} ${top(value)}`).join('L')
      const dots = own.map(([at, value]) => `<circle cx="${left(at)}" cy="${top(value)}" r="3" fill="${colour}"/>`)
      const label = `<text x="${PLOT.left + 8 + index * 110}" y="30" fill="${colour}">${name}</text>`
      return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${label}`
    }),
  ].join('\n')
}

function niceStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 4))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => most / step <= 5) ?? power
}

function short(value: number): string {
  if (value >= 1e6) return `${round(value / 1e6)}M`
  return value >= 1e3 ? `${round(value / 1e3)}k` : String(round(value))
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
