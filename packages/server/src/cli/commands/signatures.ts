import { listSignatures } from '@latchkey/core';
import { type Command, need, numberOf } from '../command.ts';
import { option } from '../input.ts';
import { print } from '../print.ts';

const mostAtOnce = 1000;

export const signatures: Command = {
  usage: 'signatures --user <id> [--limit 20]',
  meaning: 'show what a user’s hosted wallet has signed, newest first',
  words: 0,
  options: { user: option.user, limit: option.limit },
  run: async (ctx, _args, { user, limit }) => {
    const userId = need(user, '--user, for example --user "DIS#USER#1"');
    const count = Math.min(numberOf(limit, 20, 'limit'), mostAtOnce);
    const rows = await listSignatures(ctx.db.system, userId, count);
    if (rows.length === 0) return print('Nothing was signed.');
    for (const { signed_at, purpose, client_id, address, text } of rows) {
      print(`${signed_at.toISOString()}  ${purpose}  ${address}${client_id === null ? '' : `  for ${client_id}`}`);
      // Print the signed text as one escaped line, so that it cannot move the terminal's cursor.
      print(`  ${JSON.stringify(text)}`);
    }
  },
};
