import { createAdminKey, revokeAdminKey } from '@latchkey/core';
import { type Command, need, UsageError } from '../command.ts';
import { print } from '../print.ts';

export const adminKey: Command = {
  usage: 'admin-key create [name] | revoke <id>',
  meaning: 'make or take back a key that opens everything',
  run: async (ctx, [verb, value]) => {
    switch (verb) {
      case 'create': {
        const { id, key } = await createAdminKey(ctx, value ?? 'command line');
        return print(`Key ${id}, shown only this once:\n${key}`);
      }
      case 'revoke':
        await revokeAdminKey(ctx, need(value, 'the id of the key: the part between "admin" and the dot'));
        return print('The key is taken back.');
      default:
        throw new UsageError('Say admin-key create or admin-key revoke.');
    }
  },
};
