import type { Sql } from '@latchkey/db';
import { type Actor, type AuditAction, credentialKinds, principalId } from '@latchkey/kernel';
import { announce, announcementOf } from '../live-updates/index.ts';
import './queries.ts';
import type { Context } from '../../shared/context.ts';

/** The channel that an actor used. */
export type AuditChannel = 'api' | 'chat' | 'command-line' | 'job' | 'page' | 'start';

/**
 * One privileged action. Neither `reason` nor `details` may contain a secret: entries are stored in plain text,
 * permanently.
 */
export interface AuditEntry {
  at: Date;
  /** A user or application by its id, an admin key or the command line by its name. */
  who: string;
  through: AuditChannel;
  action: AuditAction;
  /** The account that the action is about. */
  subject?: string | undefined;
  /** The id of the object that was acted on. */
  target?: string | undefined;
  communityId?: string | undefined;
  reason?: string | undefined;
  requestId?: string | undefined;
  fromAddress?: string | undefined;
  details?: Readonly<Record<string, AuditDetail>>;
}

export type AuditDetail = string | number | boolean | null | readonly string[];

/** Returns the name of an actor in entries. */
export function nameInAudit(actor: Actor): string {
  return actor.kind === 'admin' ? `$admin/${actor.name}` : principalId(actor);
}

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

type AuditContext = Pick<Context, 'actor' | 'clock' | 'origin'>;

/** Creates an audit entry for an action of this context's caller, with the origin of the request. */
export function auditOf(
  { actor, clock, origin }: AuditContext,
  action: AuditAction,
  more: Pick<AuditEntry, 'subject' | 'target' | 'communityId' | 'details' | 'reason'> = {},
): AuditEntry {
  return {
    at: clock(),
    who: nameInAudit(actor),
    through: doorOf(actor),
    action,
    requestId: origin?.requestId,
    fromAddress: origin?.address,
    ...more,
    details: { ...(actor.client !== undefined && { clientId: actor.client.id }), ...more.details },
  };
}

function doorOf(actor: AuditContext['actor']): AuditChannel {
  if (actor.kind === 'system') return 'job';
  if (actor.kind !== 'user') return 'api';
  const { through } = credentialKinds[actor.credential];
  if (through === 'chat platform') return 'chat';
  return through === 'own pages' ? 'page' : 'api';
}
