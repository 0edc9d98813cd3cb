import type { Sql } from '@latchkey/db';
import type { Generated } from 'kysely';
import type { Context } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';
import { type LogSettingsRequest, settingsFor } from './log-settings.ts';

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

async function changesSince(sql: Sql, version: number): Promise<{ version: number; requests: LogSettingsRequest[] }[]> {
  const rows = await sql
    .selectFrom('log_setting_changes')
    .select(['version', 'requests'])
    .where('version', '>', version)
    .orderBy('version')
    .execute();
  return rows.map((row) => ({ version: row.version, requests: row.requests as unknown as LogSettingsRequest[] }));
}

/** Keeps what was changed and when, but not by whom. */
export const logSettingsErasure: Erasure = {
  columns: ['log_setting_changes.changed_by'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('log_setting_changes')
      .set({ changed_by: pseudonym })
      .where('changed_by', '=', userId)
      .execute();
  },
};

type Settings = Pick<LogSettingsRequest, 'logLevel' | 'debugSettings'>;

/**
 * Reads the changes that a process has not applied yet. Returns the resulting settings of this process, and the last
 * version.
 */
export async function pendingSettings(
  ctx: Pick<Context, 'db' | 'process'>,
  sinceVersion: number,
): Promise<{ version: number; settings: Settings }> {
  let settings: Settings = {};
  let version = sinceVersion;
  for (const change of await changesSince(ctx.db.system, sinceVersion)) {
    for (const request of change.requests) settings = { ...settings, ...settingsFor(request, ctx.process) };
    version = change.version;
  }
  return { version, settings };
}
