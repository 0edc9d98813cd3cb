import pg from 'pg';

/**
 * A client for transaction-mode poolers. Statements are unnamed: the connection that prepared one may serve another
 * client by the time it is executed, and older poolers do not prepare it again.
 */
export class PooledClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const query: (...given: unknown[]) => unknown = this.query.bind(this);
    Object.defineProperty(this, 'query', {
      value: (...given: unknown[]) => query(withoutName(given[0]), ...given.slice(1)),
    });
  }
}

function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || !('name' in statement) || 'submit' in statement)
    return statement;
  const { name: _name, ...rest } = statement;
  return rest;
}

/**
 * Sets the time limits of statements on the login itself: a pooler keeps no settings of a connection, and refuses those
 * sent when it is opened. `client` is a direct connection of that login.
 */
export async function limitLogin(client: pg.Client, statementTimeoutMs: number): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter role %I in database %I set %I = %L', current_user, datname, name, value) as statement
     from pg_database, (values ('statement_timeout', $1), ('idle_in_transaction_session_timeout', $2)) as wanted (name, value)
     where datname = current_database() and not exists (
       select from pg_db_role_setting, unnest(setconfig) as entry
       where setdatabase = pg_database.oid and setrole = current_user::regrole and entry = name || '=' || value
     )`,
    [String(statementTimeoutMs), String(statementTimeoutMs * 2)],
  );
  for (const { statement } of rows) await client.query(statement);
}
