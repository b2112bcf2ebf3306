/** A step of the schema. Once released it never changes. Later changes are further steps. */
export interface Migration {
  readonly name: string
  readonly sql: string
}

/**
 * The schema, step by step, in the order in which they are applied. Times are epoch milliseconds of the control plane's
 * clock; `rev` is the revision of a row's last change.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '001-first',
    sql: `
      CREATE TABLE state (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        epoch TEXT NOT NULL,
        rev INTEGER NOT NULL,
        -- Removals up to this revision are forgotten: who has an older one needs everything.
        forgotten_rev INTEGER NOT NULL,
        -- When a control plane last ran on this database.
        alive_at INTEGER NOT NULL,
        created_at INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE setting (
        name TEXT PRIMARY KEY,
        value TEXT,
        rev INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE plan (
        name TEXT PRIMARY KEY,
        body TEXT NOT NULL,
        rev INTEGER NOT NULL,
        changed_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE customer (
        id TEXT PRIMARY KEY,
        name TEXT,
        note TEXT,
        plan TEXT,
        overrides TEXT,
        rev INTEGER NOT NULL,
        changed_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX customer_rev ON customer (rev);
      CREATE INDEX customer_plan ON customer (plan, id);
      CREATE INDEX customer_overridden ON customer (id) WHERE overrides IS NOT NULL;

      CREATE TABLE removed (
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        rev INTEGER NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (kind, id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX removed_rev ON removed (rev);

      CREATE TABLE history (
        number INTEGER PRIMARY KEY,
        rev INTEGER NOT NULL,
        at INTEGER NOT NULL,
        author TEXT NOT NULL,
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        before TEXT,
        after TEXT
      ) STRICT;
      CREATE INDEX history_of ON history (kind, id, number);

      CREATE TABLE token (
        selector TEXT PRIMARY KEY,
        hash TEXT NOT NULL,
        scope TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        used_at INTEGER
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE server (
        id TEXT PRIMARY KEY,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        sdk TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        first_sync INTEGER NOT NULL,
        last_sync INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        epoch TEXT,
        rev INTEGER,
        source TEXT NOT NULL,
        apply_error TEXT,
        unknown_scopes TEXT,
        left_at INTEGER,
        counted_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX server_counted ON server (counted_until);

      -- What servers said when they came with the epoch of another database.
      CREATE TABLE hearsay (
        epoch TEXT PRIMARY KEY,
        servers INTEGER NOT NULL,
        until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      -- Parts of reports that are acknowledged and not counted yet.
      CREATE TABLE uncounted (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        usage TEXT NOT NULL
      ) STRICT;

      -- A row whose limit_name is '' has the requests; one of a limit, how many of the refused that limit refused.
      CREATE TABLE usage_minute (
        customer TEXT NOT NULL,
        slot INTEGER NOT NULL,
        limit_name TEXT NOT NULL,
        allowed INTEGER NOT NULL,
        refused INTEGER NOT NULL,
        peak INTEGER NOT NULL,
        PRIMARY KEY (customer, slot, limit_name)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX usage_minute_slot ON usage_minute (slot);

      CREATE TABLE usage_hour (
        customer TEXT NOT NULL,
        slot INTEGER NOT NULL,
        limit_name TEXT NOT NULL,
        allowed INTEGER NOT NULL,
        refused INTEGER NOT NULL,
        peak INTEGER NOT NULL,
        PRIMARY KEY (customer, slot, limit_name)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX usage_hour_slot ON usage_hour (slot);
    `,
  },
]
