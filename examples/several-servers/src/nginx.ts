import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** How requests are spread over the processes: each request to the next one, or all of a connection to the same one. */
export type Balancing = 'by request' | 'by connection'

/** Starts nginx before these ports: on one port it balances by request, on the other by connection. */
export async function startNginx(
  ports: Readonly<Record<Balancing, number>>,
  behind: readonly number[],
): Promise<{ stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'rail-nginx-'))
  mkdirSync(join(folder, 'temporary'))
  const config = join(folder, 'nginx.conf')
  writeFileSync(config, configFor(ports, behind, folder))
  const PATH = [process.env.PATH, '/usr/sbin', '/usr/local/sbin'].join(delimiter)
  const nginx = spawn('nginx', ['-c', config, '-p', folder, '-e', 'stderr'], {
    env: { ...process.env, PATH },
    stdio: 'inherit',
  })
  const ended = once(nginx, 'exit').then(
    () => new Error('nginx ended; it says why above.'),
    (cause: unknown) => new Error('This example needs nginx: apt-get install nginx-light.', { cause }),
  )
  // It says nothing when it is ready, so it is asked.
  const failure = await Promise.race([answering(ports['by request']), ended])
  if (failure !== undefined) throw failure
  return {
    stop: async () => {
      nginx.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answering(port: number): Promise<undefined> {
  while (
    !(await fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.ok,
      () => false,
    ))
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return undefined
}

function configFor(ports: Readonly<Record<Balancing, number>>, behind: readonly number[], folder: string): string {
  const servers = behind.map((port) => `server 127.0.0.1:${port};`).join(' ')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${folder}/temporary/${kind};`).join(' ')}
  upstream by_request { ${servers} keepalive 16; }
  # What a balancer of connections does (a Kubernetes Service, a TCP load balancer): one client connection, one process.
  upstream by_connection { hash $remote_port; ${servers} keepalive 16; }
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  keepalive_requests 1000000;
  server { listen 127.0.0.1:${ports['by request']}; location / { proxy_pass http://by_request; } }
  server { listen 127.0.0.1:${ports['by connection']}; location / { proxy_pass http://by_connection; } }
}
`
}
