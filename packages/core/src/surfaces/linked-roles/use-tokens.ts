import { type LinkedRoles, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { expiring, type OpenTokens, runsOut } from './tokens.ts';

/**
 * Does something with a person's tokens. They are renewed when they run out or Discord refuses them, and kept before
 * anything else is done: the ones before do not work any more. Throws `forbidden` when the renewed ones are refused too.
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
