import { handOverCommunity } from '@latchkey/core';
import { type Command, need, UsageError } from '../command.ts';
import { onRecord } from '../on-record.ts';
import { print } from '../print.ts';

export const communities: Command = {
  usage: 'communities hand-over <id> --user <user id> [--reason "…"]',
  meaning: 'make somebody the owner of a community, for example of one whose last admin was erased',
  run: async (ctx, [verb, id], { user, reason }) => {
    if (verb !== 'hand-over') throw new UsageError('Say communities hand-over.');
    const userId = need(user, 'the new owner with --user, for example DIS#USER#100');
    const communityId = need(id, 'the id of the community');
    await onRecord(ctx, { action: 'community.hand-over', subject: userId, communityId, reason }, () =>
      handOverCommunity(ctx, { id: communityId, userId }),
    );
    print(`${userId} owns the community now.`);
  },
};
