import { decideClientApp, listClientApps } from '@latchkey/core';
import { splitScopes } from '@latchkey/kernel';
import { type Command, need, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

const decisions = { approve: 'approve', reject: 'reject', revoke: 'revoke', publish: 'list' } as const;

const statuses = ['PENDING', 'APPROVED', 'REJECTED', 'REVOKED', 'LISTED'] as const;

function statusOf(text: string | undefined): (typeof statuses)[number] | undefined {
  if (text === undefined) return undefined;
  const status = statuses.find((known) => known === text.toUpperCase());
  if (status === undefined) throw new UsageError(`Unknown status: ${text}. Use one of ${statuses.join(', ')}.`);
  return status;
}

export const apps: Command = {
  usage: 'apps [--status PENDING] | approve|reject|revoke|publish <id> [--scopes "…"] [--notes "…"]',
  meaning: 'list client applications, and approve, reject, revoke or publish them',
  words: 2,
  options: { status: option.status, scopes: option.scopes, notes: option.notes },
  run: async (ctx, [verb, id], options) => {
    if (verb === undefined) {
      const found = await listClientApps(ctx, { status: statusOf(options.status) });
      return printTable([
        ['ID', 'STATUS', 'NAME', 'OWNER', 'SCOPES'],
        ...found.map((app) => [
          app.id ?? '',
          app.status,
          app.name ?? '',
          app.createdById ?? '',
          (app.allowedScopes ?? []).join(' '),
        ]),
      ]);
    }
    if (!Object.hasOwn(decisions, verb)) throw unknownSubcommand(verb);
    const request = {
      id: need(id, 'application id'),
      decision: decisions[verb as keyof typeof decisions],
      scopes: options.scopes === undefined ? undefined : splitScopes(options.scopes),
      notes: options.notes,
    };
    const details = { decision: request.decision, scopes: request.scopes ?? null };
    const use = { action: 'app.decide', target: request.id, reason: options.notes, details } as const;
    const app = await runAudited(ctx, use, () => decideClientApp(ctx, request));
    print(`${app.name} is now ${app.status}.`);
  },
};
