import type { Actor } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { issueAeToken } from '../../developers/credentials/index.ts';

const sessionTtlSeconds = 60 * 60;

interface ChatUser {
  userId: string;
  platform: string;
  name?: string | undefined;
}

/** Somebody whom their chat platform has just named. */
export function chatVisitor(
  { clock }: Pick<Context, 'clock'>,
  { userId, platform, name }: ChatUser,
): Extract<Actor, { kind: 'user' }> {
  return {
    kind: 'user',
    userId,
    platform,
    ...(name !== undefined && { name }),
    scopes: ['$all'],
    credential: 'chat-session',
    presence: { how: 'chat-login', at: clock() },
  };
}

/** A session of such a person, for the pages of this server alone. */
export function issueChatSession(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings'>,
  user: ChatUser,
): Promise<string> {
  return issueAeToken(ctx, { ...chatVisitor(ctx, user), ttlSeconds: sessionTtlSeconds });
}
