import { createHash } from 'node:crypto';
import { type Clock, systemMs } from '../clock.ts';
import { choosePerson, writePage } from '../http/html.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';

export interface TwitterUser {
  id: string;
  username: string;
  followers: number;
  isVerified?: boolean;
  isSuspended?: boolean;
}

/** The application that users sign in to. */
export interface TwitterApp {
  clientId: string;
  clientSecret: string;
  redirectUris: Set<string>;
}

export interface TwitterState {
  bearerToken: string;
  users: TwitterUser[];
  app: TwitterApp;
}

export interface TwitterEmulator extends HttpEmulator {
  state: TwitterState;
}

export interface TwitterOptions extends EmulatorAddress {
  clock?: Clock;
  /** Codes and tokens are derived from it. */
  seed?: string;
}

/** Starts X, API version 2: the lookup of users by id and by name, and OAuth 2.0 to identify a user. */
export async function startTwitterEmulator({
  clock = systemMs,
  seed = 'x',
  ...address
}: TwitterOptions = {}): Promise<TwitterEmulator> {
  const app = { clientId: 'x-client', clientSecret: 'x-secret', redirectUris: new Set<string>() };
  const state: TwitterState = { bearerToken: 'x-token', users: [], app };
  const oauth = createTwitterOAuth(state, { clock, seed });
  const emulator = await startHttpEmulator((request) => answer(state, oauth, request), address);
  return { ...emulator, state };
}

function answer(state: TwitterState, oauth: TwitterOAuth, request: EmulatorRequest): EmulatorReply {
  if (request.path === '/i/oauth2/authorize') return oauth.authorize(request);
  if (request.path === '/2/oauth2/token' && request.method === 'POST') return oauth.token(request);
  if (request.path === '/2/users/me') return showOwn(state, oauth, request);
  return lookUp(state, request);
}

/** Returns the owner of a user token. X requires both scopes. */
function showOwn({ users }: TwitterState, oauth: TwitterOAuth, { headers, query }: EmulatorRequest): EmulatorReply {
  const grant = oauth.find(headers.authorization?.replace(/^Bearer /, '') ?? '');
  if (grant === undefined) return failed(401, 'Unauthorized');
  const user = users.find(({ id }) => id === grant.userId);
  const isAllowed = ['users.read', 'tweet.read'].every((scope) => grant.scopes.includes(scope));
  return user === undefined || !isAllowed ? failed(403, 'Forbidden') : { body: { data: write(user, query) } };
}

function lookUp(state: TwitterState, { path, query, headers }: EmulatorRequest): EmulatorReply {
  if (headers.authorization !== `Bearer ${state.bearerToken}`) return failed(401, 'Unauthorized');
  const parameter = path === '/2/users' ? 'ids' : path === '/2/users/by' ? 'usernames' : undefined;
  if (parameter === undefined) return failed(404, 'Not Found');
  const requested = (query.get(parameter) ?? '').split(',').filter(Boolean);
  if (requested.length < 1 || requested.length > 100) return failed(400, 'Invalid Request');
  const found = requested.map((value) => ({ value, user: find(state, parameter, value) }));
  const data = found.flatMap(({ user }) => (user && !user.isSuspended ? [write(user, query)] : []));
  const errors = found.flatMap(({ value, user }) =>
    user && !user.isSuspended ? [] : [describe(parameter, value, user)],
  );
  return { body: { ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) } };
}

function find({ users }: TwitterState, parameter: string, value: string): TwitterUser | undefined {
  return users.find((user) =>
    parameter === 'ids' ? user.id === value : user.username.toLowerCase() === value.toLowerCase(),
  );
}

function write({ id, username, followers, isVerified = false }: TwitterUser, query: URLSearchParams) {
  const fields = query.get('user.fields')?.split(',') ?? [];
  const metrics = { followers_count: followers, following_count: 1, tweet_count: 2, listed_count: 0 };
  return {
    id,
    username,
    name: username,
    ...(fields.includes('verified') && { verified: isVerified }),
    ...(fields.includes('public_metrics') && { public_metrics: metrics }),
  };
}

function describe(parameter: string, value: string, user: TwitterUser | undefined) {
  const title = user ? 'Forbidden' : 'Not Found Error';
  return { value, title, detail: `${title}: ${value}`, parameter, resource_type: 'user', resource_id: value };
}

function failed(status: number, title: string): EmulatorReply {
  return { status, body: { title, detail: title, type: 'about:blank', status } };
}

/** A code is valid for half a minute, and a token without offline.access for two hours. */
const codeTtlMs = 30_000;
const tokenTtlMs = 2 * 60 * 60 * 1000;

const knownScopes = new Set(['users.read', 'tweet.read', 'follows.read', 'offline.access']);

/** A validated authorization request. */
interface SearchRequest {
  redirectUri: string;
  scopes: readonly string[];
  state: string;
  codeChallenge: string;
  method: 'S256' | 'plain';
}

interface Grant {
  userId: string;
  request: SearchRequest;
  expiresAt: number;
}

interface TwitterOAuth {
  authorize(request: EmulatorRequest): EmulatorReply;
  token(request: EmulatorRequest): EmulatorReply;
  /** Returns the user and scopes of a token; undefined if it was never issued or has expired. */
  find(token: string): { userId: string; scopes: readonly string[] } | undefined;
}

/** OAuth 2.0 of X: the code flow for confidential clients, always with PKCE (RFC 7636). */
function createTwitterOAuth(state: TwitterState, { clock, seed }: { clock: Clock; seed: string }): TwitterOAuth {
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, { userId: string; scopes: readonly string[]; expiresAt: number }>();

  let drawn = 0;
  const draw = () => createHash('sha256').update(`${seed}/${drawn++}`).digest('base64url');

  function authorize(request: EmulatorRequest): EmulatorReply {
    const requested = readRequest(state.app, request.query);
    if (typeof requested === 'string') return refused(400, 'invalid_request', requested);
    const answerWith = (name: string, value: string): EmulatorReply => {
      const target = new URL(requested.redirectUri);
      target.searchParams.set('state', requested.state);
      target.searchParams.set(name, value);
      return { status: 302, headers: { location: target.href }, body: '' };
    };
    if (request.method !== 'POST') return showConsent(state, requested);
    const fields = new URLSearchParams(request.text);
    if (fields.get('decision') !== 'allow') return answerWith('error', 'access_denied');
    const user = state.users.find(({ id }) => id === fields.get('user'));
    if (user === undefined) return refused(400, 'invalid_request', 'The emulator has no such person.');
    const code = draw();
    codes.set(code, { userId: user.id, request: requested, expiresAt: clock() + codeTtlMs });
    return answerWith('code', code);
  }

  function token(request: EmulatorRequest): EmulatorReply {
    if (!isApp(state.app, request.headers.authorization))
      return refused(401, 'unauthorized_client', 'Missing valid authorization header');
    const fields = new URLSearchParams(request.text);
    const missing = ['grant_type', 'code', 'redirect_uri', 'code_verifier'].find((name) => !fields.get(name));
    if (missing !== undefined) return refused(400, 'invalid_request', `Missing required parameter [${missing}].`);
    if (fields.get('grant_type') !== 'authorization_code')
      return refused(400, 'unsupported_grant_type', 'The grant type is not supported.');
    const code = fields.get('code') ?? '';
    const grant = codes.get(code);
    // The code is used up, whatever the outcome.
    codes.delete(code);
    if (grant === undefined || grant.expiresAt <= clock())
      return refused(400, 'invalid_request', 'Value passed for the authorization code was invalid.');
    if (fields.get('redirect_uri') !== grant.request.redirectUri)
      return refused(
        400,
        'invalid_request',
        'Value passed for the redirect uri did not match the uri of the authorization code.',
      );
    if (!isProof(fields.get('code_verifier') ?? '', grant.request))
      return refused(400, 'invalid_request', 'Value passed for the code verifier did not match the code challenge.');
    const accessToken = draw();
    const { scopes } = grant.request;
    tokens.set(accessToken, { userId: grant.userId, scopes, expiresAt: clock() + tokenTtlMs });
    const given = { token_type: 'bearer', expires_in: tokenTtlMs / 1000, access_token: accessToken };
    return { body: { ...given, scope: scopes.join(' ') } };
  }

  const find: TwitterOAuth['find'] = (accessToken) => {
    const found = tokens.get(accessToken);
    return found === undefined || found.expiresAt <= clock() ? undefined : found;
  };
  return { authorize, token, find };
}

/** Returns a string if something is wrong; then there is no redirect. */
function readRequest(app: TwitterApp, query: URLSearchParams): SearchRequest | string {
  const text = (name: string) => query.get(name) ?? '';
  const scopes = text('scope').split(' ');
  const method = text('code_challenge_method');
  if (text('client_id') !== app.clientId) return 'Value passed for the client id was invalid.';
  if (!app.redirectUris.has(text('redirect_uri')))
    return 'Value passed for the redirect uri did not match the registered uris.';
  if (text('response_type') !== 'code') return 'Value passed for the response type was invalid.';
  if (!scopes.every((scope) => knownScopes.has(scope))) return 'Value passed for the scope was invalid.';
  if (text('state') === '' || text('state').length > 500) return 'Missing required parameter [state].';
  if (text('code_challenge') === '') return 'Missing required parameter [code_challenge].';
  if (method !== 'S256' && method !== 'plain') return 'Value passed for the code challenge method was invalid.';
  return {
    redirectUri: text('redirect_uri'),
    scopes,
    state: text('state'),
    codeChallenge: text('code_challenge'),
    method,
  };
}

function isApp({ clientId, clientSecret }: TwitterApp, authorization: string | undefined): boolean {
  const [, basic = ''] = /^Basic (.+)$/.exec(authorization ?? '') ?? [];
  const [id, secret] = Buffer.from(basic, 'base64').toString().split(':').map(decodeForm);
  return id === clientId && secret === clientSecret;
}

/** Ids and secrets are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function decodeForm(text: string): string | null {
  return new URLSearchParams(`text=${text}`).get('text');
}

function isProof(verifier: string, { codeChallenge, method }: SearchRequest): boolean {
  if (!/^[-.~\w]{43,128}$/.test(verifier)) return false;
  const made = method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url');
  return made === codeChallenge;
}

function refused(status: number, error: string, description: string): EmulatorReply {
  return { status, body: { error, error_description: description } };
}

/** X's consent page, without a login: it asks which of the emulator's users you are. */
function showConsent({ users }: TwitterState, { scopes }: SearchRequest): EmulatorReply {
  const people = users.filter(({ isSuspended }) => !isSuspended).map(({ id, username }) => ({ id, name: username }));
  const form = choosePerson(people.values(), [
    { text: 'Authorize app', decision: 'allow' },
    { text: 'Cancel', decision: 'deny' },
  ]);
  const text = `<p>This is an emulator of X. It asks for: ${scopes.join(', ')}.</p>`;
  const body = writePage('Latchkey wants to access your X account', `${text}\n${form}`);
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
