import { eraseAccount, selectErasures } from '@latchkey/core';
import { type Command, need, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const account: Command = {
  usage: 'account erase <user id> [--reason "…"] | erasures',
  meaning: 'erase an account and its personal data, or list erasures that are waiting for roles to be removed',
  words: 2,
  options: { reason: option.reason },
  run: async (ctx, [verb, userId], { reason }) => {
    if (verb === 'erasures') {
      const waiting = await selectErasures(ctx.db.system);
      return printTable([['ACCOUNT'], ...waiting.map((id) => [id])]);
    }
    if (verb !== 'erase') throw unknownSubcommand(verb);
    const id = need(userId, 'account id, for example DIS#USER#100');
    if (!/^[A-Z]{3,8}#USER#.+$/.test(id)) throw new UsageError('Not a valid account id. Example: DIS#USER#100.');
    const use = { action: 'account.erase', subject: id, reason } as const;
    const outcome = await runAudited(ctx, use, () => eraseAccount(ctx, id));
    print(
      outcome.kind === 'erased'
        ? `${id} is erased.`
        : `The data that ${id} provided is deleted. The rest follows automatically: ${outcome.reason}`,
    );
  },
};
