import Database from 'libsql'

/** A connection to SQLite. */
export type Db = InstanceType<typeof Database>

/** Opens a database file, and makes the tables where they are missing. `':memory:'`: none is written. */
export function openDatabase(path: string): Db {
  const db = new Database(path)
  db.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS links (
      slug TEXT PRIMARY KEY,
      customer TEXT NOT NULL,
      url TEXT NOT NULL,
      created_at INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS links_of_customer ON links (customer, created_at);
    CREATE TABLE IF NOT EXISTS clicks (
      slug TEXT NOT NULL,
      day TEXT NOT NULL,
      clicks INTEGER NOT NULL,
      PRIMARY KEY (slug, day)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS answers (
      customer TEXT NOT NULL,
      idempotency_key TEXT NOT NULL,
      request TEXT NOT NULL,
      status INTEGER NOT NULL,
      body TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (customer, idempotency_key)
    ) WITHOUT ROWID;`)
  return db
}

/** The first row that a statement finds. (libsql's `get` leaves its statement open.) */
export function firstRow<Row>(db: Db, sql: string, ...values: unknown[]): Row | undefined {
  return (db.prepare(sql).all(...values) as Row[])[0]
}
