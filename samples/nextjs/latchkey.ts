/** Latchkey as a provider of Auth.js, which reads the rest from the discovery document. */
export const latchkey = {
  id: 'latchkey',
  name: 'Latchkey',
  type: 'oidc' as const,
  issuer: process.env.LATCHKEY_URL ?? 'http://localhost:3000',
  clientId: process.env.CLIENT_ID ?? '',
  clientSecret: process.env.CLIENT_SECRET ?? '',
  authorization: { params: { scope: 'openid token-gating' } },
  checks: ['pkce' as const, 'state' as const],
};

type Token = Record<string, unknown>;

/** Puts the access token into the session's cookie. Auth.js encrypts it: scripts of the page do not see it. */
export function keepAccess<Kept extends Token>(options: {
  token: Kept;
  account?: { access_token?: string; expires_at?: number } | null;
}): Kept {
  const { token, account } = options;
  return account ? { ...token, accessToken: account.access_token, expiresAt: account.expires_at } : token;
}

/** Whose wallets to check. Nobody's when the access token has expired: the visitor then signs in again. */
export function visitorOf(token: Token | null, now = Date.now()): { accessToken: string } | undefined {
  const { accessToken, expiresAt } = token ?? {};
  if (typeof accessToken !== 'string' || Number(expiresAt) * 1000 <= now) return undefined;
  return { accessToken };
}
