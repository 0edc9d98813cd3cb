import { decideMiniApp, listMiniApps, type MiniAppStatus, miniAppStatuses, probeAgain } from '@latchkey/core';
import { type Command, need, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

const decisions = {
  approve: 'approve',
  reject: 'reject',
  reopen: 'reopen',
  revoke: 'revoke',
  publish: 'list',
} as const;

function statusOf(text: string | undefined): MiniAppStatus | undefined {
  if (text === undefined) return undefined;
  const status = miniAppStatuses.find((known) => known === text.toUpperCase());
  if (status === undefined) throw new UsageError(`Unknown status: ${text}. Use one of ${miniAppStatuses.join(', ')}.`);
  return status;
}

export const miniapps: Command = {
  usage: 'miniapps [--status PENDING] | approve|reject|reopen|revoke|publish <id> [--notes "…"] | probe <id>',
  meaning: 'list mini-apps, approve, reject or revoke them, and test whether they reject forged calls',
  words: 2,
  options: { status: option.status, notes: option.notes },
  run: async (ctx, [verb, id], options) => {
    if (verb === undefined) {
      const found = await listMiniApps(ctx, statusOf(options.status));
      const rows = found.map((app) => [app.id ?? '', app.status, app.name, app.pk ?? '', app.url ?? '']);
      return printTable([['ID', 'STATUS', 'NAME', 'ORGANIZATION', 'ADDRESS'], ...rows]);
    }
    const appId = need(id, 'mini-app id');
    if (verb === 'probe') {
      const result = await probeAgain(ctx, appId);
      if (result === undefined) return print('Only listed mini-apps can be probed.');
      if (result.kind !== 'safe') return print(`It is ${result.kind}. ${result.reason}`);
      if (result.warnings.length === 0) return print('The mini-app rejects forged calls.');
      return print(['The mini-app accepts no forged calls, but:', ...result.warnings].join('\n'));
    }
    if (!Object.hasOwn(decisions, verb)) throw unknownSubcommand(verb);
    const decision = decisions[verb as keyof typeof decisions];
    const use = { action: 'mini-app.decide', target: appId, reason: options.notes, details: { decision } } as const;
    const app = await runAudited(ctx, use, () => decideMiniApp(ctx, { id: appId, decision, notes: options.notes }));
    print(`${app.name} is now ${app.status}.`);
  },
};
