import { rewrapAll, rotateKey, type SigningPurpose, sealedColumns, signingPurposes } from '@latchkey/core';
import { idempotencySealed } from '../../http/idempotency.ts';
import { type Command, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print } from '../print.ts';
import { runAudited } from '../run-audited.ts';

export const keys: Command = {
  usage: `keys rotate ${signingPurposes.join('|')} | rewrap`,
  meaning: 'rotate a signing key, or re-encrypt all secrets with the current master key',
  words: 2,
  options: { reason: option.reason },
  run: async (ctx, [verb, purpose], options) => {
    if (verb === 'rotate' && signingPurposes.includes(purpose as SigningPurpose)) {
      const use = { action: 'signing-key.rotate', target: purpose, reason: options.reason } as const;
      const { kid } = await runAudited(ctx, use, () => rotateKey(ctx, purpose as SigningPurpose));
      return print(`New ${purpose} key ${kid}. Signatures of the old key stay valid for 30 days.`);
    }
    if (verb !== 'rewrap') throw unknownSubcommand(verb);
    const { rewrapped, unreadable } = await runAudited(ctx, { action: 'secrets.rewrap', reason: options.reason }, () =>
      rewrapAll(ctx, [...sealedColumns, ...idempotencySealed]),
    );
    print(`Re-encrypted ${rewrapped} secrets with the current master key.`);
    if (unreadable.length > 0)
      throw new Error(
        `${unreadable.length} secrets cannot be decrypted with any of the master keys: ${unreadable.slice(0, 5).join(', ')}`,
      );
  },
};
