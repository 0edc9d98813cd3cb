import { type Actor, type AuditAction, principalId } from '@latchkey/kernel';

/** The surface an actor came through. */
export type AuditChannel = 'api' | 'chat' | 'command-line' | 'job' | 'page' | 'start';

/** One use of power. Neither `reason` nor `details` may hold a secret: entries are kept in plain text, for good. */
export interface AuditEntry {
  at: Date;
  /** A user or application by its id, an admin key or the command line by its name. */
  who: string;
  through: AuditChannel;
  action: AuditAction;
  /** The account that it is about. */
  subject?: string | undefined;
  /** What it was done to, by its id. */
  target?: string | undefined;
  communityId?: string | undefined;
  reason?: string | undefined;
  requestId?: string | undefined;
  fromAddress?: string | undefined;
  details?: Readonly<Record<string, AuditDetail>>;
}

export type AuditDetail = string | number | boolean | null | readonly string[];

/** What an actor is called in entries. */
export function nameInAudit(actor: Actor): string {
  return actor.kind === 'admin' ? `$admin/${actor.name}` : principalId(actor);
}
