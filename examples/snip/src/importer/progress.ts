import type { Summary } from './import-links.js'

const number = new Intl.NumberFormat('en')

/** How long it will take, before anything is sent: on the customer's plan, and on those that are faster. */
export function estimateFor(rows: number, plan: string, writesPerMinute: Readonly<Record<string, number>>): string {
  const mine = writesPerMinute[plan] ?? 0
  const faster = Object.entries(writesPerMinute).filter(([, perMinute]) => perMinute > mine)
  const others = faster.map(([name, perMinute]) => `${minutes(rows, perMinute)} on ${name}`)
  const first = `${minutes(rows, mine)} ${minutes(rows, mine) === '1' ? 'minute' : 'minutes'} at ${number.format(mine)} a minute`
  return [first, ...others].join('; ')
}

/**
 * A bar, and how long it still takes at the rate so far, but no faster than the plan allows: the first burst is no measure.
 *
 * @param seconds How long this run has taken.
 */
export function barFor(
  { total, created, before, rejected, failed }: Summary,
  seconds: number,
  writesPerMinute: number,
): string {
  const now = created + rejected.length
  const done = before + now
  const part = total === 0 ? 1 : done / total
  const filled = Math.round(part * 30)
  const perSecond = seconds > 0 ? now / seconds : 0
  const pace = Math.min(perSecond, writesPerMinute / 60)
  const left = pace === 0 ? '' : `, ${duration((total - done - failed) / pace)} left`
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(30 - filled)}]`
  return `${bar} ${number.format(done)} of ${number.format(total)} (${Math.floor(part * 100)} %), ${Math.round(perSecond * 60)} a minute${left}`
}

/** Where progress is shown: on a terminal a bar that is drawn over, in a log a line now and then. */
export interface Progress {
  show(bar: () => string): void
  end(bar: () => string): void
}

/** Progress on a stream. @param seconds How long this run has taken. */
export function progressOn(
  stream: { readonly isTTY?: boolean | undefined; write(text: string): unknown },
  seconds: () => number,
): Progress {
  const every = stream.isTTY ? 0.1 : 10
  const draw = (bar: string): void => void stream.write(stream.isTTY ? `\r${bar}\u001b[K` : `${bar}\n`)
  let shownAt = 0
  return {
    show(bar) {
      if (seconds() - shownAt < every) return
      shownAt = seconds()
      draw(bar())
    },
    end(bar) {
      if (!stream.isTTY) return
      draw(bar())
      stream.write('\n')
    },
  }
}

/** What is said at the end. */
export function report({ total, created, before, rejected, failed, stopped }: Summary, seconds: number): string {
  const left = total - created - before - rejected.length
  return [
    stopped ?? (failed === 0 ? 'Done.' : 'Done, but for some.'),
    `${number.format(created)} created in ${duration(seconds)}, ${number.format(before)} done before, ${number.format(rejected.length)} rejected, ${number.format(left)} left.`,
    ...rejected.slice(0, 20).map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(rejected.length > 20 ? [`  and ${number.format(rejected.length - 20)} more`] : []),
    ...(left > 0 ? ['Run it again to go on where it stopped.'] : []),
  ].join('\n')
}

function minutes(rows: number, perMinute: number): string {
  return perMinute === 0 ? 'endless' : number.format(Math.ceil(rows / perMinute))
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`
}
