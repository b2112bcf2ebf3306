import type { AddressInfo } from 'node:net'
import { createApp } from './app.js'

const onPlannedRefusal = (): void => console.log('the planned limit would have refused this one')
const server = createApp({ onPlannedRefusal }).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  console.log(`${url}

curl -i ${url}/v1/hello -H 'X-API-Key: key_demo'
for i in $(seq 15); do curl -s -o /dev/null -w '%{http_code} ' ${url}/v1/hello -H 'X-API-Key: key_demo'; done`)
})
