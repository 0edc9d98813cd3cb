import {
  type HttpTwin,
  startHttpTwin,
  type TwinAddress,
  type TwinReply,
  type TwinRequest,
} from '../http-twin/index.ts';

export interface TwitterUser {
  id: string;
  username: string;
  followers: number;
  isVerified?: boolean;
  isSuspended?: boolean;
}

export interface TwitterState {
  bearerToken: string;
  users: TwitterUser[];
}

export interface TwitterTwin extends HttpTwin {
  state: TwitterState;
}

/** The look-up of users of X, API version 2, by number and by name. */
export async function startTwitterTwin(address: TwinAddress = {}): Promise<TwitterTwin> {
  const state: TwitterState = { bearerToken: 'x-token', users: [] };
  const twin = await startHttpTwin((request) => answer(state, request), address);
  return { ...twin, state };
}

function answer(state: TwitterState, { path, query, headers }: TwinRequest): TwinReply {
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

function failed(status: number, title: string): TwinReply {
  return { status, body: { title, detail: title, type: 'about:blank', status } };
}
