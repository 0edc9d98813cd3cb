import type { Sealed, Sql } from '@latchkey/db';

export interface KeptSecretRow {
  name: string;
  version: number;
  secret: Sealed;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    kept_secrets: KeptSecretRow;
  }
}

/** Lists every version of a secret, newest first. */
export function selectVersions(db: Sql, name: string): Promise<KeptSecretRow[]> {
  return db.selectFrom('kept_secrets').selectAll().where('name', '=', name).orderBy('version', 'desc').execute();
}

/** Does nothing if another process was faster. */
export async function insertVersion(db: Sql, row: KeptSecretRow): Promise<void> {
  await db
    .insertInto('kept_secrets')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
