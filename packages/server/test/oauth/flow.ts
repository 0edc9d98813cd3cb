import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { TestAnswer, TestServer } from '../harness/test-server.ts';
import { authorize, type Browser, type Decision, openBrowser } from './browser.ts';
import type { SampleClient } from './sample-client.ts';

export type Fields = Record<string, string | undefined>;

export function newVerifier(): string {
  return randomBytes(32).toString('base64url');
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Returns the URL to which an application sends users; undefined fields are omitted. */
export function authorizeAddress(client: SampleClient, verifier: string, fields: Fields = {}): string {
  return `/oauth2/authorize?${encode({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    scope: 'openid user:read',
    state: 's t&te',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...fields,
  })}`;
}

export interface Code {
  code: string;
  verifier: string;
  browser: Browser;
}

/** Signs a user in and returns with a code. */
export async function getCode(
  server: TestServer,
  client: SampleClient,
  { fields = {}, browser = openBrowser(server), ...decision }: Decision & { fields?: Fields; browser?: Browser } = {},
): Promise<Code> {
  const verifier = newVerifier();
  const back = await authorize(server, browser, authorizeAddress(client, verifier, fields), decision);
  const code = back.searchParams.get('code');
  assert.ok(code, back.href);
  return { code, verifier, browser };
}

/** Posts a form as an application, with its own authentication method. */
export function post(server: TestServer, client: SampleClient, path: string, fields: Fields): Promise<TestAnswer> {
  const proof: Record<string, string> =
    client.secret === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` };
  return server.request('POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...proof },
    body: encode({ ...(client.secret === undefined && { client_id: client.id }), ...fields }),
  });
}

export function exchange(
  server: TestServer,
  client: SampleClient,
  { code, verifier }: Pick<Code, 'code' | 'verifier'>,
  fields: Fields = {},
): Promise<TestAnswer> {
  const usual = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri };
  return post(server, client, '/oauth2/token', { ...usual, ...fields });
}

export async function getTokens(
  server: TestServer,
  client: SampleClient,
  options: Parameters<typeof getCode>[2] = {},
): Promise<{ access_token: string; refresh_token: string; id_token: string; scope: string }> {
  const answer = await exchange(server, client, await getCode(server, client, options));
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

export async function isActive(server: TestServer, client: SampleClient, token: string): Promise<boolean> {
  return (await post(server, client, '/oauth2/introspect', { token })).json.active;
}

export function encode(fields: Fields): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}
