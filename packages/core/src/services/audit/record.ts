import type { Sql } from '@latchkey/db';
import { announce, announcementOf } from '../live-updates/index.ts';
import type { AuditEntry } from './entry.ts';
import './queries.ts';

const longestText = 500;

/**
 * Writes an audit entry. Inside a transaction, the entry is committed or rolled back with the action; any tenant may
 * write one.
 */
export async function recordAudit(db: Sql, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_entries')
    .values({
      at: entry.at,
      who: entry.who,
      through: entry.through,
      action: entry.action,
      subject: entry.subject ?? null,
      target: entry.target ?? null,
      community_id: entry.communityId ?? null,
      reason: entry.reason?.slice(0, longestText) ?? null,
      request_id: entry.requestId ?? null,
      from_address: entry.fromAddress ?? null,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute();
  await announce(db, announcementOf(entry));
}
