import type { Schedule } from '../../src/base/schedule.js'

/** Timers that a test fires by hand. */
export interface ManualSchedule {
  readonly schedule: Schedule
  /** The running waits, in milliseconds as requested. */
  waits(): readonly number[]
  /** Fires the timer that is due first, of those that pass. Returns its wait. */
  fire(passes?: (afterMs: number) => boolean): number
  /** Resolves once a timer that passes is running (at once if one is). */
  running(passes?: (afterMs: number) => boolean): Promise<void>
}

/** Timers that a test fires by hand. */
export function manualSchedule(): ManualSchedule {
  const tasks: { task: () => void; afterMs: number }[] = []
  const waiting = new Set<() => void>()
  const any = (): boolean => true
  return {
    schedule: (task, afterMs) => {
      const entry = { task, afterMs }
      tasks.push(entry)
      for (const check of waiting) check()
      return () => {
        if (tasks.includes(entry)) tasks.splice(tasks.indexOf(entry), 1)
      }
    },
    waits: () => tasks.map(({ afterMs }) => afterMs),
    fire: (passes = any) => {
      const [first] = tasks.filter(({ afterMs }) => passes(afterMs)).toSorted((a, b) => a.afterMs - b.afterMs)
      if (first === undefined) throw new Error(`no such timer is running, only ${tasks.map(({ afterMs }) => afterMs)}`)
      tasks.splice(tasks.indexOf(first), 1)
      first.task()
      return first.afterMs
    },
    running: (passes = any) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!tasks.some(({ afterMs }) => passes(afterMs))) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}
