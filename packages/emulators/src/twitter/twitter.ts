import { type Clock, systemMs } from '../clock.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import { createTwitterOAuth, type TwitterOAuth } from './oauth.ts';

export interface TwitterUser {
  id: string;
  username: string;
  followers: number;
  isVerified?: boolean;
  isSuspended?: boolean;
}

/** The application that may ask people who they are. */
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
  /** Codes and tokens follow from it. */
  seed?: string;
}

/** X, API version 2: the look-up of users by number and by name, and OAuth 2.0 by which a person says who they are. */
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

/** What a token of a person opens. X asks for both scopes. */
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
  const asked = (query.get(parameter) ?? '').split(',').filter(Boolean);
  if (asked.length < 1 || asked.length > 100) return failed(400, 'Invalid Request');
  const found = asked.map((value) => ({ value, user: find(state, parameter, value) }));
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
