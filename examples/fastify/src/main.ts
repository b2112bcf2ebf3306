import { createApp } from './app.js'

const app = await createApp()
const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })
console.log(`${url}

curl -i ${url}/v1/complete -H 'Authorization: Bearer key_free' -H 'Content-Type: application/json' -d '{"prompt":"hello world"}'
for i in $(seq 25); do curl -s -o /dev/null -w '%{http_code} ' -X PUT ${url}/v1/prompts/a -H 'Authorization: Bearer key_free'; done`)
