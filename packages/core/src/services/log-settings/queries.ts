import type { Sql } from '@latchkey/db';
import type { Generated } from 'kysely';
import type { LogSettingsRequest } from './log-settings.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    log_setting_changes: { version: Generated<number>; requests: string; changed_by: string; changed_at: Date };
  }
}

export async function insertChange(
  sql: Sql,
  change: { requests: LogSettingsRequest[]; changedBy: string; changedAt: Date },
): Promise<number> {
  const { version } = await sql
    .insertInto('log_setting_changes')
    .values({ requests: JSON.stringify(change.requests), changed_by: change.changedBy, changed_at: change.changedAt })
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

export async function latestVersion(sql: Sql): Promise<number> {
  const row = await sql
    .selectFrom('log_setting_changes')
    .select((q) => q.fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

export async function changesSince(
  sql: Sql,
  version: number,
): Promise<{ version: number; requests: LogSettingsRequest[] }[]> {
  const rows = await sql
    .selectFrom('log_setting_changes')
    .select(['version', 'requests'])
    .where('version', '>', version)
    .orderBy('version')
    .execute();
  return rows.map((row) => ({ version: row.version, requests: row.requests as unknown as LogSettingsRequest[] }));
}
