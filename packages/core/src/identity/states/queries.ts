import { CompiledQuery, type Hashed, type Sealed, type Sql, type Tx } from '@latchkey/db';

declare module '@latchkey/db/tables' {
  interface Tables {
    slugs: { slug_hash: Hashed; owner_id: string; content: Sealed; created_at: Date; expires_at: Date };
  }
}

const insertSlugText =
  'insert into slugs (slug_hash, owner_id, content, created_at, expires_at) values ($1, $2, $3, $4, $5)';

export async function insertSlug(
  tx: Tx,
  row: { slug_hash: Hashed; owner_id: string; content: Sealed; created_at: Date; expires_at: Date },
): Promise<void> {
  const values = [row.slug_hash, row.owner_id, row.content, row.created_at, row.expires_at];
  await tx.executeQuery(CompiledQuery.raw(insertSlugText, values));
}

export async function findContent(sql: Sql, slugHash: Hashed, now: Date): Promise<Sealed | undefined> {
  const row = await sql
    .selectFrom('slugs')
    .select('content')
    .where('slug_hash', '=', slugHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.content;
}

/** Deletes up to `limit` expired rows and returns how many there were. */
export async function deleteExpired(sql: Sql, now: Date, limit: number): Promise<number> {
  const expired = sql.selectFrom('slugs').select('slug_hash').where('expires_at', '<=', now).limit(limit);
  const result = await sql.deleteFrom('slugs').where('slug_hash', 'in', expired).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Deletes what a user stored behind slugs. */
export async function forgetSlugs(sql: Sql, ownerId: string): Promise<void> {
  await sql.deleteFrom('slugs').where('owner_id', '=', ownerId).execute();
}
