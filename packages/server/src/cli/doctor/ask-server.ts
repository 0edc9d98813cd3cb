import { createHash } from 'node:crypto';
import type { ClientApplication, Finding } from '@latchkey/core';
import type { Random } from '@latchkey/kernel';
import { fetchTo } from '../../egress/index.ts';

interface ServerAnswer {
  status: number;
  location: string | undefined;
  allowedOrigin: string | undefined;
  json: Record<string, unknown>;
}

const patienceMs = 10_000;

/** Calls the running server as an external client would, without following redirects. */
export async function askServer(serverUrl: string, path: string, init: RequestInit = {}): Promise<ServerAnswer> {
  const signal = AbortSignal.timeout(patienceMs);
  const response = await fetchTo([serverUrl])(`${serverUrl}${path}`, { ...init, redirect: 'manual', signal });
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get('location') ?? undefined,
    allowedOrigin: response.headers.get('access-control-allow-origin') ?? undefined,
    json: readObject(text),
  };
}

function readObject(text: string): Record<string, unknown> {
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    return {};
  }
}

/** Sends a CORS preflight for each allowed origin, as a browser would. */
export async function tryOrigins(serverUrl: string, { allowedOrigins = [] }: ClientApplication): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const origin of allowedOrigins) {
    const headers = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' };
    const { allowedOrigin } = await askServer(serverUrl, '/communities', { method: 'OPTIONS', headers });
    const isOpen = allowedOrigin === origin || allowedOrigin === '*';
    findings.push({
      level: isOpen ? 'ok' : 'fail',
      about: `origin ${origin}`,
      says: isOpen
        ? 'Browsers allow calls from this origin.'
        : 'Browsers block calls from this origin: the response has no Access-Control-Allow-Origin. A proxy in front of the server may be removing it.',
    });
  }
  return findings;
}

/** Starts a login at each redirect URI as the application would, with and without PKCE. No user is signed in. */
export async function tryLogins(serverUrl: string, app: ClientApplication, random: Random): Promise<Finding[]> {
  if (!app.allowedGrantTypes?.includes('authorization_code')) return [];
  const findings: Finding[] = [];
  for (const redirectUri of app.redirectUris ?? [])
    findings.push(...(await tryLogin({ serverUrl, app, redirectUri, random })));
  return findings;
}

interface Login {
  serverUrl: string;
  app: ClientApplication;
  redirectUri: string;
  random: Random;
}

async function tryLogin(login: Login): Promise<Finding[]> {
  const { app, redirectUri, random } = login;
  const about = `login at ${redirectUri}`;
  const plain = await begin(login, {});
  if (plain === undefined) return [{ level: 'ok', about, says: 'Login works with and without PKCE.' }];
  const challenge = createHash('sha256').update(random.id(43)).digest('base64url');
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  const withPkce = await begin(login, pkce);
  if (withPkce !== undefined) return [{ level: 'fail', about, says: `Login is refused: ${withPkce}` }];
  const level = app.clientType === 'public' ? 'ok' : 'warn';
  return [{ level, about, says: `Login works only with PKCE (S256). Without it: ${plain}` }];
}

/** Returns why a login cannot be started, or undefined if it can. */
async function begin(
  { serverUrl, app, redirectUri, random }: Login,
  more: Record<string, string>,
): Promise<string | undefined> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.id ?? '',
    redirect_uri: redirectUri,
    scope: 'openid',
    state: random.id(16),
    ...more,
  });
  const { status, location, json } = await askServer(serverUrl, `/oauth2/authorize?${query}`);
  if (status >= 400) return describe(json) ?? `the server returned ${status}.`;
  const back = location === undefined ? null : URL.parse(location, serverUrl);
  const error = back?.searchParams.get('error');
  return error == null ? undefined : (back?.searchParams.get('error_description') ?? error);
}

function describe(json: Record<string, unknown>): string | undefined {
  const { error, error_description } = json;
  const { message } = Object(error);
  return [error_description, message, error].find((text) => typeof text === 'string');
}
