import { type ChildProcess, fork } from 'node:child_process'
import type { Front } from './fronts.js'
import { Load } from './load.js'
import type { Answers, Command } from './server-process.js'
import type { Framework } from './servers.js'

/** A server in a process of its own, and 16 connections to it. */
export class MeasuredServer {
  readonly load: Load
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, load: Load) {
    this.#child = child
    this.load = load
  }

  /** @param file The bundled `server-process.ts`. */
  static async start(file: string, node: string, framework: Framework, front: Front): Promise<MeasuredServer> {
    const child = fork(file, [framework, front], { execPath: node, execArgv: [] })
    const port = await messageOf<number>(child)
    return new MeasuredServer(child, await Load.open(port))
  }

  /** Has the process do something. @throws Error where it has ended */
  async do<Name extends Command['does']>(command: Command & { readonly does: Name }): Promise<Answers[Name]> {
    const answer = messageOf<Answers[Name]>(this.#child)
    this.#child.send(command)
    return answer
  }

  stop(): void {
    this.load.close()
    this.#child.kill()
  }
}

function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a server has ended with code ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as Message)
    })
  })
}
