import { isObject, readJson, within } from '@latchkey/adapter-kit';
import { PlatformFailed, type PlatformIdentity, type RedirectIdentityProvider } from '@latchkey/core/ports';

export interface CodeFlowOptions {
  /** What the platform is called in sentences. */
  name: string;
  /** The variables that hold the client id and its secret, for whoever has to set them right. */
  variables: string;
  clientId: string;
  clientSecret: string;
  issuer: string | undefined;
  authorizeUrl: string;
  tokenUrl: string;
  profileUrl: string;
  scope: string;
  /** What else the platform wants in the address that the browser goes to. */
  parameters?: Readonly<Record<string, string>>;
  userAgent: string;
  /** False for a platform that does not know RFC 7636; the state alone binds its answer to the browser then. */
  hasPkce: boolean;
  /** Undefined for a profile that is nobody's. */
  readProfile(profile: Readonly<Record<string, unknown>>): PlatformIdentity | undefined;
  timeoutMs?: number;
}

/** Learns who somebody is by the code flow of OAuth 2.0. No token outlives the question. */
export function createCodeFlow(options: CodeFlowOptions): RedirectIdentityProvider {
  const { name, clientId, clientSecret, issuer, timeoutMs = 10_000 } = options;
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
      throw unavailable(`${name} did not answer.`, error);
    }
  };

  return {
    kind: 'redirect',
    issuer,
    start: ({ state, redirectUri, codeChallenge }) => {
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: options.scope,
        state,
        ...(options.hasPkce && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
        ...options.parameters,
      };
      return `${options.authorizeUrl}?${new URLSearchParams(parameters)}`;
    },
    finish: async ({ code, redirectUri, codeVerifier }, signal) => {
      const fields = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(options.hasPkce && { code_verifier: codeVerifier }),
      };
      const headers = { authorization: `Basic ${basic}` };
      const init = { method: 'POST', headers, body: new URLSearchParams(fields) };
      const token = readToken(options, await send(options.tokenUrl, init, signal));
      const profile = await send(options.profileUrl, { headers: { authorization: `Bearer ${token}` } }, signal);
      return readIdentity(options, profile);
    },
  };
}

interface Answer {
  status: number;
  body: unknown;
}

function readToken(options: CodeFlowOptions, { status, body }: Answer): string {
  const { name, variables } = options;
  if (status >= 500 || status === 429) throw unavailable(`${name} answered ${status} to a request for a token.`);
  if (status === 401 || saysError(body, 'invalid_client'))
    throw new PlatformFailed('not-configured', `${name} does not accept the client id and secret. Check ${variables}.`);
  const token = isObject(body) ? body.access_token : undefined;
  // Reddit answers a wrong code with 200 and an error in the body.
  if (status !== 200 || typeof token !== 'string' || token === '')
    throw new PlatformFailed('forbidden', `${name} does not accept the code.`);
  return token;
}

function readIdentity({ name, readProfile }: CodeFlowOptions, { status, body }: Answer): PlatformIdentity {
  if (status >= 500 || status === 429) throw unavailable(`${name} answered ${status} to the question who it is.`);
  const identity = status === 200 && isObject(body) ? readProfile(body) : undefined;
  if (identity === undefined) throw new PlatformFailed('forbidden', `${name} does not say who it is.`);
  return identity;
}

function unavailable(message: string, cause?: unknown): PlatformFailed {
  const failure = new PlatformFailed('unavailable', message, 30);
  // A name that does not resolve and a certificate that is wrong are for the operator's log.
  if (cause instanceof Error) failure.cause = cause.cause ?? cause.name;
  return failure;
}

function saysError(body: unknown, error: string): boolean {
  return isObject(body) && body.error === error;
}
