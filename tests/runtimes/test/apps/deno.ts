import { createFetch } from './served.js'

declare const Deno: { serve(options: object, fetch: (request: Request) => Promise<Response>): unknown }

const onListen = ({ port }: { port: number }): void => console.log(`port ${port}`)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, createFetch())
