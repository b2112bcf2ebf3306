import { createFetch } from './client.js'

// The tests are compiled for Node, whose global scope has none.
declare const location: { readonly href: string }

// The page was opened with `?server=…`, and tells its own server what came of it.
const answer = await createFetch()(new Request(location.href))
await fetch('/', { method: 'POST', body: await answer.text() })
