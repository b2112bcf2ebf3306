// An app of the framework that the first argument names, run where the packed packages are installed. Prints its port.
// `/` answers as the framework does, `/raw` by Node's own response, and `/thrown` throws. Three requests fit.

const name = process.argv[2]
const { perMinute, rateLimit } = await import(`@rail/${name}`)
const options = { identify: () => 'acme', limits: [perMinute(3)] }

function raw(response) {
  response.writeHead(200, { 'Content-Type': 'text/plain' })
  response.end('raw')
}

const frameworks = {
  async express() {
    const { default: express } = await import('express')
    const app = express().use(rateLimit(options))
    app.get('/', (_req, res) => res.send('ok'))
    app.get('/raw', (_req, res) => raw(res))
    app.get('/thrown', () => {
      throw new Error('thrown')
    })
    app.use((_error, _req, res, _next) => res.status(500).send('failed'))
    const server = app.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`))
  },
  async fastify() {
    const { default: fastify } = await import('fastify')
    const app = fastify()
    await app.register(rateLimit, options)
    app.get('/', async () => 'ok')
    app.get('/raw', (_request, reply) => {
      reply.hijack()
      raw(reply.raw)
    })
    app.get('/thrown', async () => {
      throw new Error('thrown')
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    console.log(`port ${app.server.address().port}`)
  },
  async koa() {
    const { default: Koa } = await import('koa')
    const app = new Koa()
    app.silent = true
    app.use(rateLimit(options))
    app.use((ctx) => {
      if (ctx.path === '/thrown') throw new Error('thrown')
      if (ctx.path === '/') {
        ctx.body = 'ok'
        return
      }
      ctx.respond = false
      raw(ctx.res)
    })
    const server = app.listen(0, '127.0.0.1', () => console.log(`port ${server.address().port}`))
  },
}

await frameworks[name]()
