import { createFetch } from './served.js'

declare const Bun: { serve(options: object): { port: number } }

console.log(`port ${Bun.serve({ fetch: createFetch(), hostname: '127.0.0.1', port: 0 }).port}`)
