import {
  type Actor,
  auditActions,
  isAuditAction,
  OpenObject,
  principalId,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import type { AuditRow } from '../audit/index.ts';

export const AuditLogEntry = record(
  'AuditLogEntry',
  'One use of power over an account, an app, a community or a key.',
  {
    id: text('Names the entry; later entries have larger numbers.'),
    time: text('When it was, in ISO 8601.'),
    who: text('Who did it: a user or an app by its id, or $admin for the operator.'),
    through: text('How they came: api, chat, command-line, job, page or start.'),
    action: text('What was done, from a closed list, for example rule.change.'),
    meaning: T.Optional(text('The action in words.')),
    subject: T.Optional(text('The account that it is about.')),
    target: T.Optional(text('The id of what it was done to, for example of a rule or a role plan.')),
    communityId: T.Optional(text('The qualified id of the community that it is about.')),
    reason: T.Optional(text('The reason that was given.')),
    details: T.Unsafe<Record<string, unknown>>({ ...OpenObject, description: 'What else is on record.' }),
    requestId: T.Optional(text('The x-request-id of the request. Shown to the sender and to the operator.')),
    fromAddress: T.Optional(text('The IP address it came from. Shown to the sender and to the operator.')),
  },
);
export type AuditLogEntry = ValueOf<typeof AuditLogEntry>;

/** An entry as this caller may see it: where others came from, and which key or login the operator used, is theirs. */
export function toEntry(row: AuditRow, actor: Actor): AuditLogEntry {
  const isOperator = actor.kind === 'admin' || actor.kind === 'system';
  const isOwn = isOperator || row.who === principalId(actor);
  return {
    id: String(row.id),
    time: row.at.toISOString(),
    who: isOperator ? row.who : withoutKeyName(row.who),
    through: row.through,
    action: row.action,
    meaning: isAuditAction(row.action) ? auditActions[row.action] : undefined,
    subject: row.subject ?? undefined,
    target: row.target ?? undefined,
    communityId: row.community_id ?? undefined,
    reason: row.reason ?? undefined,
    details: isObject(row.details) ? row.details : {},
    requestId: isOwn ? (row.request_id ?? undefined) : undefined,
    fromAddress: isOwn ? (row.from_address ?? undefined) : undefined,
  };
}

function withoutKeyName(who: string): string {
  return /^\$(admin|command-line)(\/|$)/.test(who) ? '$admin' : who;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
