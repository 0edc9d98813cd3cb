import { handOverCommunity } from '@latchkey/core';
import { type Command, need, UsageError } from '../command.ts';
import { print } from '../print.ts';

export const communities: Command = {
  usage: 'communities hand-over <id> --user <user id>',
  meaning: 'make somebody the owner of a community, for example of one whose last admin was erased',
  run: async (ctx, [verb, id], { user }) => {
    if (verb !== 'hand-over') throw new UsageError('Say communities hand-over.');
    const userId = need(user, 'the new owner with --user, for example DIS#USER#100');
    await handOverCommunity(ctx, { id: need(id, 'the id of the community'), userId });
    print(`${userId} owns the community now.`);
  },
};
