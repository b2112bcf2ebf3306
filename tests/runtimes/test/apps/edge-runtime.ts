import { createFetch } from './served.js'

declare function addEventListener(
  type: 'fetch',
  listener: (event: { request: Request; respondWith(response: Promise<Response>): void }) => void,
): void

const fetch = createFetch()
addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))
