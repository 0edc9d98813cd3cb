import { issueAccessToken, issueAeToken } from '@latchkey/core';
import { splitScopes } from '@latchkey/kernel';
import { type Command, need, numberOf, UsageError } from '../command.ts';
import { print } from '../print.ts';

export const token: Command = {
  usage: 'token ae|bearer --user <id> [--platform discord] [--name …] [--scopes "…"] [--ttl-seconds 3600]',
  meaning: 'make a token that acts as a user, for trying things out',
  run: async (ctx, [kind], options) => {
    const user = {
      userId: need(options.user, 'which user with --user, for example --user "DIS#USER#1"'),
      platform: options.platform ?? 'discord',
      ...(options.name !== undefined && { name: options.name }),
      credential: 'operator-token' as const,
      scopes: splitScopes(options.scopes ?? '$all'),
      ttlSeconds: numberOf(options['ttl-seconds'], 3600, 'ttl-seconds'),
    };
    if (kind === 'ae') return print(`AE ${await issueAeToken(ctx, user)}`);
    if (kind === 'bearer') {
      const { token: bearer } = await issueAccessToken(ctx, { ...user, holder: { kind: 'user', ...user } });
      return print(`Bearer ${bearer}`);
    }
    throw new UsageError('Say token ae or token bearer.');
  },
};
