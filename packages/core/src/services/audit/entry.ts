import { type Actor, type AuditAction, principalId } from '@latchkey/kernel';

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
