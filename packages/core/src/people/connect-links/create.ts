import { type Context, contextFor } from '../../context.ts';
import { issueAeToken } from '../../developers/credentials/index.ts';
import { createState, stateTtlSeconds } from '../../machinery/states/index.ts';

/** Whose wallets a link connects. */
export interface LinkedPerson {
  userId: string;
  platform: string;
  name?: string | undefined;
}

export interface ConnectLinkOptions {
  /** The community the link was asked for in. */
  communityId?: string | undefined;
  /** Whether the page may register passkeys too, which let their holder in for longer than the link lives. */
  withPasskeys: boolean;
}

export interface ConnectLink {
  url: string;
  slug: string;
  /** In seconds since 1970. */
  expiresAt: number;
}

export const connectLinkMinutes = stateTtlSeconds / 60;
export const purpose = 'wallet-connection';

const walletScopes = ['user:wallet:read', 'user:wallet:write'];
// The platform itself vouched for the person, whose roles the page then explains.
const vouchedScopes = ['user:webauthn-credential:read', 'user:webauthn-credential:write', 'user:community:read'];

/**
 * A link to the page where a person connects wallets. Whoever has it can act for the person there, so it is shown to
 * nobody else; it belongs to the person, and goes when the account is erased.
 */
export async function createConnectLink(
  ctx: Context,
  { userId, platform, name }: LinkedPerson,
  { communityId, withPasskeys }: ConnectLinkOptions,
): Promise<ConnectLink> {
  const scopes = withPasskeys ? [...walletScopes, ...vouchedScopes] : walletScopes;
  const person = { userId, platform, ...(name !== undefined && { name }), scopes, credential: 'connect-link' } as const;
  const token = await issueAeToken(ctx, { ...person, ttlSeconds: stateTtlSeconds });
  const body = { purpose, userId, platform, token, ...(communityId !== undefined && { communityId }) };
  const { slug, expiresAt } = await createState(contextFor(ctx, { kind: 'user', ...person }), { body });
  return { url: `${ctx.settings.baseUrl}/connect/${slug}`, slug, expiresAt };
}
