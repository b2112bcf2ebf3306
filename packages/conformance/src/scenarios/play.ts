import type { AppUnderTest } from './app-under-test.js'
import type { Reply } from './reply.js'

/** Replies in a handler, by its framework's means. */
export function play<Response, Done>(
  reply: Reply,
  response: Response,
  by: Pick<AppUnderTest<never, Response, never, unknown, Done>, 'answer' | 'redirect' | 'stream' | 'raw'>,
): Done | Promise<never> {
  switch (reply.does) {
    case 'answer':
      return by.answer(response, reply)
    case 'redirect':
      return by.redirect(response, reply.to)
    case 'stream':
      return by.stream(response, reply)
    case 'raw':
      return by.raw(response, reply)
    case 'throw':
      throw reply.value
    case 'hang':
      return new Promise(() => {})
  }
}
