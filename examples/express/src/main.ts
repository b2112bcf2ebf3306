import { createApp, demoKeys } from './app.js'

const port = Number(process.env.PORT ?? 3000)

createApp().listen(port, (error) => {
  if (error) throw error
  const url = `http://localhost:${port}`
  const curl = `curl -H "Authorization: Bearer ${demoKeys.acme}"`
  console.log(`Listening on ${url}. Paste one of these into another terminal:

  ${curl} -i ${url}/v1/hello
  ${curl} -s -o /dev/null -w "%{http_code}\\n" "${url}/v1/hello?n=[1-15]"

The first shows where a customer of the free plan stands; the second asks 15 times in a row: 10 are let in,
and one more for each tenth of a second that it takes; the rest are 429.`)
})
