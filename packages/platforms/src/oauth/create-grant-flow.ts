import { readJson, within } from '@latchkey/adapter-kit';
import { PlatformFailed } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';

export interface GrantFlowOptions {
  /** The display name of the platform. */
  name: string;
  /** The environment variables of the client id and its secret, for messages to the operator. */
  variables: string;
  clientId: string;
  clientSecret: string;
  authorizeUrl: string;
  tokenUrl: string;
  scope: string;
  /** Additional query parameters of the authorization URL. */
  parameters?: Readonly<Record<string, string>>;
  userAgent: string;
  /** False for a platform without PKCE (RFC 7636). Then only the state binds its response to the browser. */
  hasPkce: boolean;
  timeoutMs?: number;
  fetch: typeof globalThis.fetch;
}

/** What a platform returned for a code or a refresh token. */
export interface Grant {
  accessToken: string;
  refreshToken: string | undefined;
  expiresInSeconds: number | undefined;
  scopes: readonly string[];
}

export interface Answer {
  status: number;
  body: unknown;
}

export interface GrantFlow {
  start(request: { state: string; redirectUri: string; codeChallenge: string }): string;
  exchange(
    answer: { code: string; redirectUri: string; codeVerifier: string },
    signal: AbortSignal | undefined,
  ): Promise<Grant>;
  refresh(refreshToken: string, signal: AbortSignal | undefined): Promise<Grant>;
  /** Revokes a token (RFC 7009). A token that is already invalid is not an error. */
  revoke(url: string, refreshToken: string, signal: AbortSignal | undefined): Promise<void>;
  /** Reads a URL with an access token. */
  read(url: string, accessToken: string, signal: AbortSignal | undefined): Promise<Answer>;
}

/** Creates the OAuth 2.0 code flow (RFC 6749) of a confidential client. Failures are `PlatformFailed` and contain no token. */
export function createGrantFlow(options: GrantFlowOptions): GrantFlow {
  const { name, clientId, clientSecret, hasPkce, timeoutMs = 10_000, fetch } = options;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');

  const send = async (url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Answer> => {
    try {
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        headers: { accept: 'application/json', 'user-agent': options.userAgent, ...init.headers },
        signal: within(timeoutMs, signal),
      });
      return { status: response.status, body: await readJson(response) };
    } catch (error) {
      signal?.throwIfAborted();
      throw unavailable(`${name} did not respond.`, error);
    }
  };
  const post = (url: string, fields: Record<string, string>, signal: AbortSignal | undefined) =>
    send(
      url,
      { method: 'POST', headers: { authorization: `Basic ${basic}` }, body: new URLSearchParams(fields) },
      signal,
    );

  return {
    start: ({ state, redirectUri, codeChallenge }) => {
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: options.scope,
        state,
        ...(hasPkce && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
        ...options.parameters,
      };
      return `${options.authorizeUrl}?${new URLSearchParams(parameters)}`;
    },
    exchange: async ({ code, redirectUri, codeVerifier }, signal) => {
      const fields = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(hasPkce && { code_verifier: codeVerifier }),
      };
      return readGrant(options, await post(options.tokenUrl, fields, signal), 'code');
    },
    refresh: async (refreshToken, signal) => {
      const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
      return readGrant(options, await post(options.tokenUrl, fields, signal), 'permission');
    },
    revoke: async (url, refreshToken, signal) => {
      const { status, body } = await post(url, { token: refreshToken, token_type_hint: 'refresh_token' }, signal);
      refuseOutage(name, status);
      if (status === 401 || saysError(body, 'invalid_client')) throw wrongClient(options);
    },
    read: async (url, accessToken, signal) => {
      const answer = await send(url, { headers: { authorization: `Bearer ${accessToken}` } }, signal);
      refuseOutage(name, answer.status);
      return answer;
    },
  };
}

function readGrant(options: GrantFlowOptions, { status, body }: Answer, proof: 'code' | 'permission'): Grant {
  const { name } = options;
  refuseOutage(name, status);
  if (status === 401 || saysError(body, 'invalid_client')) throw wrongClient(options);
  const { access_token: accessToken, refresh_token, expires_in, scope } = isObject(body) ? body : {};
  // Reddit responds to a wrong code with 200 and an error in the body.
  if (status !== 200 || typeof accessToken !== 'string' || accessToken === '')
    throw new PlatformFailed('forbidden', `${name} does not accept the ${proof}.`);
  return {
    accessToken,
    refreshToken: typeof refresh_token === 'string' && refresh_token !== '' ? refresh_token : undefined,
    expiresInSeconds: typeof expires_in === 'number' && expires_in > 0 ? expires_in : undefined,
    scopes: typeof scope === 'string' ? scope.split(/[ ,]+/) : [],
  };
}

function wrongClient({ name, variables }: GrantFlowOptions): PlatformFailed {
  return new PlatformFailed('not-configured', `${name} does not accept the client id and secret. Check ${variables}.`);
}

function refuseOutage(name: string, status: number): void {
  if (status >= 500 || status === 429) throw unavailable(`${name} responded with status ${status}.`);
}

function unavailable(message: string, cause?: unknown): PlatformFailed {
  const failure = new PlatformFailed('unavailable', message, 30);
  // DNS and certificate errors are for the operator's log.
  if (cause instanceof Error) failure.cause = cause.cause ?? cause.name;
  return failure;
}

function saysError(body: unknown, error: string): boolean {
  return isObject(body) && body.error === error;
}
