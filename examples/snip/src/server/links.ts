import { randomBytes } from 'node:crypto'
import { type Db, firstRow } from './database.js'
import { Problem } from './problem.js'

/** A short link, as the API shows it. */
export interface Link {
  readonly slug: string
  readonly url: string
  readonly created_at: string
}

/** How often a link was followed. */
export interface Analytics {
  readonly clicks: number
  readonly days: readonly { readonly day: string; readonly clicks: number }[]
}

interface LinkRow {
  readonly slug: string
  readonly customer: string
  readonly url: string
  readonly created_at: number
}

/** The links in a database. */
export class Links {
  readonly #db: Db

  constructor(db: Db) {
    this.#db = db
  }

  /** @throws Problem 409 for a slug that is taken, 422 for what is no link */
  create(
    customer: string,
    { url, slug = randomSlug() }: { url: string; slug?: string | undefined },
    now: number,
  ): Link {
    checkUrl(url)
    checkSlug(slug)
    const { changes } = this.#db
      .prepare('INSERT INTO links (slug, customer, url, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(slug, customer, url, now)
    if (changes === 0) throw new Problem(409, 'slug-taken', 'The slug is taken', `Another link has the slug ${slug}.`)
    return shown({ slug, customer, url, created_at: now })
  }

  /** @throws Problem 404 for a link that the customer does not have, 422 for what is no link */
  change(customer: string, slug: string, url: string): Link {
    checkUrl(url)
    this.#db.prepare('UPDATE links SET url = ? WHERE slug = ? AND customer = ?').run(url, slug, customer)
    return this.get(customer, slug)
  }

  /** @throws Problem 404 for a link that the customer does not have */
  get(customer: string, slug: string): Link {
    const row = firstRow<LinkRow>(this.#db, 'SELECT * FROM links WHERE slug = ? AND customer = ?', slug, customer)
    if (row === undefined) throw new Problem(404, 'no-such-link', 'No such link', `You have no link ${slug}.`)
    return shown(row)
  }

  /** The customer's links in the order of their slugs, up to 100 of those after `after`. */
  list(customer: string, after: string): readonly Link[] {
    const rows = this.#db
      .prepare('SELECT * FROM links WHERE customer = ? AND slug > ? ORDER BY slug LIMIT 100')
      .all(customer, after) as LinkRow[]
    return rows.map(shown)
  }

  /** @throws Problem 404 for a link that the customer does not have */
  analytics(customer: string, slug: string): Analytics {
    this.get(customer, slug)
    const days = this.#db
      .prepare('SELECT day, clicks FROM clicks WHERE slug = ? ORDER BY day')
      .all(slug) as Analytics['days']
    return { clicks: days.reduce((sum, { clicks }) => sum + clicks, 0), days }
  }

  /** Where a link leads, whoever asks; counts the click. @throws Problem 404 */
  follow(slug: string, now: number): string {
    const row = firstRow<LinkRow>(this.#db, 'SELECT * FROM links WHERE slug = ?', slug)
    if (row === undefined) throw new Problem(404, 'no-such-link', 'No such link', `There is no link ${slug}.`)
    this.#db
      .prepare('INSERT INTO clicks VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET clicks = clicks + 1')
      .run(slug, new Date(now).toISOString().slice(0, 10))
    // In ASCII, as a header field has to be.
    return new URL(row.url).href
  }
}

function shown({ slug, url, created_at }: LinkRow): Link {
  return { slug, url, created_at: new Date(created_at).toISOString() }
}

function randomSlug(): string {
  return randomBytes(6).toString('base64url')
}

function checkUrl(url: string): void {
  // URL passes over line ends and the like, a header field does not.
  const isPlain = url.length <= 2_048 && !/\p{Cc}/u.test(url)
  if (isPlain && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return
  throw new Problem(422, 'not-a-link', 'Not a link', 'A link leads to an http or https URL of at most 2048 characters.')
}

function checkSlug(slug: string): void {
  if (/^[\w-]{3,64}$/.test(slug)) return
  throw new Problem(422, 'not-a-slug', 'Not a slug', 'A slug is 3 to 64 letters, digits, hyphens and underscores.')
}
