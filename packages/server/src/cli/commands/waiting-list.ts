import { type Context, getWaitingListMetadata, inviteToWaitingList, waitingListSigner } from '@latchkey/core';
import { type Command, need, unknownSubcommand } from '../command.ts';
import { print } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const waitingList: Command = {
  usage: 'waiting-list [show] | replace-signer | invite|uninvite <user>',
  meaning: 'show the waiting list and the signer that its contracts must trust; invite users to join for free',
  words: 2,
  options: {},
  run: async (ctx, [verb = 'show', userId]) => {
    switch (verb) {
      case 'show': {
        const metadata = await getWaitingListMetadata(ctx);
        const signer = await waitingListSigner(ctx, { isReplaced: false });
        return print(JSON.stringify({ ...metadata, signer }, null, 2));
      }
      case 'replace-signer': {
        const signer = await runAudited(ctx, { action: 'waiting-list.replace-signer' }, () =>
          waitingListSigner(ctx, { isReplaced: true }),
        );
        return print(`${signer} now signs quotes. Call setSigner on each contract with this address.`);
      }
      case 'invite':
      case 'uninvite':
        await invite(ctx, need(userId, 'user id'), verb === 'invite');
        return print(`${userId} is ${verb === 'invite' ? '' : 'not '}invited.`);
      default:
        throw unknownSubcommand(verb);
    }
  },
};

function invite(ctx: Context, userId: string, isInvited: boolean): Promise<void> {
  return runAudited(ctx, { action: 'waiting-list.invite', subject: userId, details: { isInvited } }, () =>
    inviteToWaitingList(ctx, { userId, isInvited }),
  );
}
