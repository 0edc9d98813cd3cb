import { type LinkedRoles, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { expiring, type OpenTokens, runsOut } from './tokens.ts';

/**
 * Runs a call with a user's tokens. If they expire or Discord refuses them, they are refreshed and stored first,
 * because the old ones no longer work. Throws `forbidden` if the refreshed ones are refused too.
 */
export async function withTokens(
  ctx: Pick<Context, 'clock'>,
  linkedRoles: LinkedRoles,
  { tokens, keep, signal }: { tokens: OpenTokens; keep(renewed: OpenTokens): Promise<void>; signal?: AbortSignal },
  use: (tokens: OpenTokens) => Promise<void>,
): Promise<void> {
  const renew = async () => {
    const renewed = expiring(ctx, await linkedRoles.refresh(tokens.refreshToken, signal));
    await keep(renewed);
    return renewed;
  };
  if (runsOut(ctx, tokens)) return use(await renew());
  try {
    await use(tokens);
  } catch (error) {
    if (!isRefused(error)) throw error;
    await use(await renew());
  }
}

export function isRefused(error: unknown): error is PlatformFailed {
  return error instanceof PlatformFailed && error.kind === 'forbidden';
}
