import type { Sealed } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import { type GrantedTokens, type LinkedRoles, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

type Table = 'role_connections' | 'role_connection_endings';

type Column = 'access_token' | 'refresh_token';

interface SealedTokens {
  access_token: Sealed;
  refresh_token: Sealed;
  expires_at: Date;
}

interface OpenTokens {
  accessToken: string;
  refreshToken: string;
  expiresAt: Date;
}

/** Refreshed a little before they expire, so that none expires in transit. */
const marginMs = 5 * 60 * 1000;

export function tokenPlace(table: Table, column: Column, id: string): string {
  return `${table}.${column}:${id}`;
}

export function sealTokens(
  { keyring }: Pick<Context, 'keyring'>,
  table: Table,
  id: string,
  { accessToken, refreshToken, expiresAt }: OpenTokens,
): SealedTokens {
  return {
    access_token: keyring.seal(tokenPlace(table, 'access_token', id), accessToken),
    refresh_token: keyring.seal(tokenPlace(table, 'refresh_token', id), refreshToken),
    expires_at: expiresAt,
  };
}

export function openTokens(
  { keyring }: Pick<Context, 'keyring'>,
  table: Table,
  id: string,
  { access_token, refresh_token, expires_at }: SealedTokens,
): OpenTokens {
  return {
    accessToken: keyring.openText(tokenPlace(table, 'access_token', id), access_token),
    refreshToken: keyring.openText(tokenPlace(table, 'refresh_token', id), refresh_token),
    expiresAt: expires_at,
  };
}

export function expiring(
  { clock }: Pick<Context, 'clock'>,
  { expiresInSeconds, ...tokens }: GrantedTokens,
): OpenTokens {
  return { ...tokens, expiresAt: addSeconds(clock(), expiresInSeconds) };
}

function runsOut({ clock }: Pick<Context, 'clock'>, { expiresAt }: OpenTokens): boolean {
  return expiresAt.getTime() - clock().getTime() < marginMs;
}

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
