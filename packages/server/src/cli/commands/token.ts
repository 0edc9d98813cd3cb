import { issueAccessToken, issueAeToken, notifyLoginMethodAdded } from '@latchkey/core';
import { splitScopes } from '@latchkey/kernel';
import { type Command, need, numberOf, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { findServedUrl } from '../operator-context.ts';
import { print, printError } from '../print.ts';
import { runAudited } from '../run-audited.ts';

const usualTtlSeconds = 15 * 60;
/** A token that acts as another user is short-lived; a new one needs a reason again. */
const longestTtlSeconds = 60 * 60;

export const token: Command = {
  usage: 'token ae|bearer --user <id> --reason "…" [--platform discord] [--name …] [--scopes "…"] [--ttl-seconds 900]',
  meaning: 'create a short-lived token that acts as a user; the audit log records who created it and why',
  words: 1,
  options: {
    user: option.user,
    reason: option.reason,
    platform: option.short('A chat platform.'),
    name: option.short('A name.', 256),
    scopes: option.scopes,
    'ttl-seconds': option.number('A number of seconds.'),
  },
  run: async (ctx, [kind], options, config) => {
    if (kind !== 'ae' && kind !== 'bearer') throw unknownSubcommand(kind);
    const user = {
      userId: need(options.user, '--user, for example --user "DIS#USER#1"'),
      platform: options.platform ?? 'discord',
      ...(options.name !== undefined && { name: options.name }),
      credential: 'operator-token' as const,
      scopes: splitScopes(options.scopes ?? '$all'),
      ttlSeconds: numberOf(options['ttl-seconds'], usualTtlSeconds, 'ttl-seconds'),
    };
    if (user.ttlSeconds > longestTtlSeconds)
      throw new UsageError(`--ttl-seconds must be at most ${longestTtlSeconds}.`);
    const reason = need(options.reason?.trim(), '--reason, for example --reason "ticket 12"');
    if (config.baseUrl === undefined && (await findServedUrl(ctx)) === undefined)
      printError(
        `No server is running on this database. The token is valid only for a server at ${ctx.settings.baseUrl}; to use another address, set LATCHKEY_BASE_URL.`,
      );
    const details = { kind, scopes: user.scopes, ttlSeconds: user.ttlSeconds };
    await runAudited(ctx, { action: 'token.issue', subject: user.userId, reason, details }, async () => {
      await notifyLoginMethodAdded(ctx.db.system, user.userId, 'operator-token');
      if (kind === 'ae') return print(`AE ${await issueAeToken(ctx, user)}`);
      const { token: bearer } = await issueAccessToken(ctx, { ...user, holder: { kind: 'user', ...user } });
      print(`Bearer ${bearer}`);
    });
  },
};
