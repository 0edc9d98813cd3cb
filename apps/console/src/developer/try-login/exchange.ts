import type { Attempt } from './attempt.ts';

/** A request as it was made and what came back, for people to read. */
export interface Exchange {
  request: string;
  status: number;
  answer: Record<string, unknown>;
}

const patienceMs = 30_000;

/** Exchanges the code for tokens (RFC 6749 4.1.3). Without the cookie: an application has none. */
export async function exchangeCode(
  clientId: string,
  clientSecret: string | undefined,
  code: string,
  { redirectUri, verifier }: Attempt,
): Promise<Exchange> {
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
  };
  const shown = { ...form, ...(clientSecret !== undefined && { client_secret: '…' }) };
  return send('POST', '/oauth2/token', shown, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
}

/** Asks the API who logged in. */
export function askWho(accessToken: string): Promise<Exchange> {
  return send(
    'GET',
    '/account/me',
    { authorization: 'Bearer …' },
    { headers: { authorization: `Bearer ${accessToken}` } },
  );
}

async function send(
  method: 'GET' | 'POST',
  path: string,
  shown: Record<string, string>,
  init: Pick<RequestInit, 'body' | 'headers'>,
): Promise<Exchange> {
  const response = await fetch(path, {
    ...init,
    method,
    credentials: 'omit',
    signal: AbortSignal.timeout(patienceMs),
  });
  const lines = Object.entries(shown).map(([name, value]) => `${name}: ${value}`);
  const answer: Record<string, unknown> = await response.json().catch(() => ({}));
  return { request: [`${method} ${location.origin}${path}`, ...lines].join('\n'), status: response.status, answer };
}
