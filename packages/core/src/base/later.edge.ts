// Stands in for `later.ts` in the edge build: edge runtimes allow timers only while a request is answered.

export function later(_task: () => void, _ms: number): void {}
