import { type Sql, sql } from '@latchkey/db';
import type { AuditAction } from '@latchkey/kernel';
import type { Generated } from 'kysely';
import type { Erasure } from '../../shared/module.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    audit_entries: {
      id: Generated<number>;
      at: Date;
      who: string;
      through: string;
      action: string;
      subject: string | null;
      target: string | null;
      community_id: string | null;
      reason: string | null;
      request_id: string | null;
      from_address: string | null;
      details: unknown;
    };
  }
}

export interface AuditFilter {
  /** Entries of this user, and about them. */
  userId?: string | undefined;
  /** Entries about this user. */
  subject?: string | undefined;
  communityId?: string | undefined;
  action?: AuditAction | undefined;
  since?: Date | undefined;
  /** Only entries older than this one. */
  beforeId?: number | undefined;
  limit: number;
}

export type AuditRow = Awaited<ReturnType<typeof selectAuditEntries>>[number];

/** Lists audit entries, newest first. */
export function selectAuditEntries(
  db: Sql,
  { userId, subject, communityId, action, since, beforeId, limit }: AuditFilter,
) {
  return db
    .selectFrom('audit_entries')
    .selectAll()
    .$if(userId !== undefined, (query) =>
      query.where((eb) => eb.or([eb('who', '=', userId ?? ''), eb('subject', '=', userId ?? '')])),
    )
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
    .$if(communityId !== undefined, (query) => query.where('community_id', '=', communityId ?? ''))
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(since !== undefined, (query) => query.where('at', '>=', since ?? null))
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Replaces a user with a pseudonym: the only change that the database allows. */
async function forgetInAudit(
  db: Sql,
  { userId, wallets, pseudonym }: { userId: string; wallets: readonly string[]; pseudonym: string },
): Promise<void> {
  await sql`select forget_in_audit(${userId}, ${[...wallets]}::text[], ${pseudonym})`.execute(db);
}

/** Keeps what was done and when, but removes the actor, the subject and the address. */
export const auditErasure: Erasure = {
  columns: ['who', 'subject', 'target', 'reason', 'from_address', 'details'].map((column) => `audit_entries.${column}`),
  stage: 'at-once',
  forget: (_ctx, tx, { userId, wallets, pseudonym }) =>
    forgetInAudit(tx, { userId, wallets: wallets.map(({ address }) => address), pseudonym }),
};
