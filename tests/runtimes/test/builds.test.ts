import { expect, test } from 'vitest'
import { CONDITIONS, filesIn, type Runtime } from './runtimes.js'

/** The build of core and the Hono adapter that each runtime runs. Bun sets none of the edge conditions. */
const BUILDS: Record<Runtime, 'edge' | 'Node'> = {
  'Node 20': 'Node',
  'Node 22': 'Node',
  'Node 24': 'Node',
  'Node with the edge build': 'edge',
  Bun: 'Node',
  Deno: 'edge',
  workerd: 'edge',
  "Vercel's edge-runtime": 'edge',
}

test.each(Object.entries(BUILDS) as [Runtime, string][])(
  '%s runs the %s build of every file',
  async (runtime, build) => {
    const files = await filesIn('workerd', 'hono', CONDITIONS[runtime])
    const ours = files.filter((file) => /^packages\/(core|hono)\/(?!test\/)/.test(file))
    const edge = ours.filter((file) => /^packages\/(core|hono)\/dist\/edge\//.test(file))
    const node = ours.filter((file) => /^packages\/(core|hono)\/dist\/[^/]+$/.test(file))
    expect(ours).toContain(`packages/hono/dist/${build === 'edge' ? 'edge/' : ''}index.js`)
    expect([edge.length, node.length]).toEqual(build === 'edge' ? [ours.length, 0] : [0, ours.length])
  },
)
