import { selectAuditEntries } from '@latchkey/core';
import { type AuditAction, auditActions, isAuditAction } from '@latchkey/kernel';
import { type Command, numberOf, UsageError } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';

const mostAtOnce = 1000;

function actionOf(text: string | undefined): AuditAction | undefined {
  if (text === undefined || isAuditAction(text)) return text;
  throw new UsageError(`Unknown action: ${text}. Use one of ${Object.keys(auditActions).join(', ')}.`);
}

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new UsageError('--since must be a time such as 2026-01-31T12:00:00Z.');
  return time;
}

/** Names and reasons are user input: without control characters they cannot move the terminal's cursor. */
function plain(text: string | null): string {
  return (text ?? '').replace(/\p{Cc}/gu, '?');
}

export const audit: Command = {
  usage: 'audit [--user <id>] [--action token.issue] [--since <time>] [--limit 20]',
  meaning: 'show the audit log, newest first',
  words: 0,
  options: {
    user: option.user,
    action: option.short('An audit action.'),
    since: option.short('A time such as 2026-01-31T12:00:00Z.'),
    limit: option.limit,
  },
  run: async (ctx, _args, options) => {
    const entries = await selectAuditEntries(ctx.db.system, {
      userId: options.user,
      action: actionOf(options.action),
      since: timeOf(options.since),
      limit: Math.min(numberOf(options.limit, 20, 'limit'), mostAtOnce),
    });
    if (entries.length === 0) return print('No audit entries.');
    printTable([
      ['AT', 'WHO', 'ACTION', 'ABOUT', 'TARGET', 'REASON', 'DETAILS'],
      ...entries.map(({ at, who, action, subject, target, community_id, reason, details }) =>
        [
          at.toISOString(),
          who,
          action,
          subject,
          [target, community_id].filter((part) => part !== null).join(' in '),
          reason,
          JSON.stringify(details),
        ].map(plain),
      ),
    ]);
  },
};
