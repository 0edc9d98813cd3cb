import type { Actor } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';

/** Returns a user whom their chat platform just identified. */
export function chatVisitor(
  { clock }: Pick<Context, 'clock'>,
  { userId, platform, name }: { userId: string; platform: string; name?: string | undefined },
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
