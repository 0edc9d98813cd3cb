import type { Context } from '../../context.ts';
import { issueAeToken } from '../../developers/credentials/index.ts';

const sessionTtlSeconds = 60 * 60;

/** A session of somebody whom their chat platform has just named, for the pages of this server alone. */
export function issueChatSession(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings'>,
  { userId, platform, name }: { userId: string; platform: string; name?: string | undefined },
): Promise<string> {
  return issueAeToken(ctx, {
    userId,
    platform,
    ...(name !== undefined && { name }),
    scopes: ['$all'],
    credential: 'chat-session',
    presence: { how: 'chat-login', at: ctx.clock() },
    ttlSeconds: sessionTtlSeconds,
  });
}
