import { serve } from '@hono/node-server'
import { createApp } from './app.js'

serve({ fetch: createApp().fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  const url = `http://127.0.0.1:${port}`
  console.log(`${url}

curl -i ${url}/v1/events -H 'Authorization: Bearer token_ann'
for i in $(seq 8); do curl -s -o /dev/null -w '%{http_code} ' ${url}/v1/events -H 'Authorization: Bearer token_ann'; done`)
})
