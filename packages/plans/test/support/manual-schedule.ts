import type { Schedule } from '../../src/schedule.js'

/** Timers that a test fires by hand. */
export interface ManualSchedule {
  readonly schedule: Schedule
  /** The waits that are running, in milliseconds as they were asked for. */
  waits(): readonly number[]
  /** Fires the timer that is due first. */
  fire(): void
  /** Resolves once a timer is running (at once if one is). */
  running(): Promise<void>
}

/** Timers that a test fires by hand. */
export function manualSchedule(): ManualSchedule {
  const tasks: { task: () => void; afterMs: number }[] = []
  const waiting: (() => void)[] = []
  return {
    schedule: (task, afterMs) => {
      const entry = { task, afterMs }
      tasks.push(entry)
      for (const wake of waiting.splice(0)) wake()
      return () => {
        if (tasks.includes(entry)) tasks.splice(tasks.indexOf(entry), 1)
      }
    },
    waits: () => tasks.map(({ afterMs }) => afterMs),
    fire: () => {
      const [first] = tasks.toSorted((a, b) => a.afterMs - b.afterMs)
      if (first === undefined) throw new Error('no timer is running')
      tasks.splice(tasks.indexOf(first), 1)
      first.task()
    },
    running: () => new Promise((resolve) => (tasks.length > 0 ? resolve() : waiting.push(resolve))),
  }
}
