import {
  type Context,
  getCommunitySettings,
  leastCheckPeriodSeconds,
  mostCheckPeriodSeconds,
  resetCheckPeriod,
  selectCommunity,
  setCheckPeriod,
  transferCommunity,
} from '@latchkey/core';
import { type Command, need, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print } from '../print.ts';
import { runAudited } from '../run-audited.ts';

type Options = Parameters<Command['run']>[2];

const hourSeconds = 60 * 60;

export const communities: Command = {
  usage:
    'communities transfer <id> --user <user id> [--reason "…"] | check-period <id> [<hours> | default] [--reason "…"]',
  meaning:
    'transfer a community to a new owner, for example after its last admin was erased; show or set how often its members are re-checked',
  words: 3,
  options: { user: option.user, reason: option.reason },
  run: async (ctx, [verb, id, value], options) => {
    if (verb === 'transfer') return transfer(ctx, need(id, 'community id'), options);
    if (verb === 'check-period') return checkPeriod(ctx, need(id, 'community id'), value, options);
    throw unknownSubcommand(verb);
  },
};

async function transfer(ctx: Context, id: string, { user, reason }: Options): Promise<void> {
  const userId = need(user, '--user: the new owner, for example DIS#USER#100');
  const communityId = await qualifiedId(ctx, id);
  await runAudited(ctx, { action: 'community.transfer', subject: userId, communityId, reason }, () =>
    transferCommunity(ctx, { id, userId }),
  );
  print(`${userId} now owns the community.`);
}

/** Audit entries use the qualified id, whichever form was typed. */
async function qualifiedId(ctx: Context, id: string): Promise<string> {
  return (await selectCommunity(ctx.db.system, id))?.id ?? id;
}

async function checkPeriod(ctx: Context, id: string, value: string | undefined, { reason }: Options): Promise<void> {
  const change = value === undefined ? undefined : changeOf(ctx, id, value);
  const settings =
    change === undefined
      ? await getCommunitySettings(ctx, { id })
      : await runAudited(ctx, { action: 'community.change', communityId: await qualifiedId(ctx, id), reason }, change);
  const hours = settings.checkPeriodSeconds / hourSeconds;
  const origin = settings.isDefaultCheckPeriod ? ', the default of its plan' : '';
  print(`Every member is re-checked every ${hours} ${hours === 1 ? 'hour' : 'hours'}${origin}.`);
  if (!settings.checksInBackground)
    print('Scheduled re-checks are off: the community is paused or has turned them off.');
  else print(`Next re-check: ${settings.nextCheckTime ?? 'due now'}`);
}

function changeOf(ctx: Context, id: string, value: string) {
  if (value === 'default') return () => resetCheckPeriod(ctx, { id });
  const seconds = /^\d{1,3}$/.test(value) ? Number(value) * hourSeconds : 0;
  if (seconds < leastCheckPeriodSeconds || seconds > mostCheckPeriodSeconds)
    throw new UsageError(
      `The period must be a whole number of hours from ${leastCheckPeriodSeconds / hourSeconds} to ${mostCheckPeriodSeconds / hourSeconds}, or default.`,
    );
  return () => setCheckPeriod(ctx, { id, body: { checkPeriodSeconds: seconds } });
}
