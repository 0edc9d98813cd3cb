/** What the server shows of a playground: the operations are in `/latchkey/playgrounds`. */
export interface Playground {
  expiresTime: string;
  isWorking: boolean;
  members: readonly Member[];
  rule: { choice: string; name: string };
  changeSets: readonly ChangeSet[];
  events: readonly PlaygroundEvent[];
}

export interface Member {
  name: string;
  isLinked: boolean;
  keys: number;
  coins: string;
  badges: number;
  roles: readonly string[];
}

export interface ChangeSet {
  id: string;
  status: string;
  grants: number;
  revokes: number;
  isUndo: boolean;
  canUndo: boolean;
}

export interface PlaygroundEvent {
  id: string;
  time: string;
  type: string;
  member?: string;
  role?: string;
  reasons?: readonly string[];
}

export type Action = 'link-wallet' | 'sell-token' | 'buy-token' | 'edit-rule' | 'approve' | 'reject' | 'undo';

/** Why a call has no result, for the reader. */
export class PlaygroundFailed extends Error {
  /** `ended`: start again. `missing`: this server has no playgrounds. `other`: try again. */
  readonly kind: 'ended' | 'missing' | 'other';

  constructor(kind: PlaygroundFailed['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

const patienceMs = 20_000;

async function post(apiUrl: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${apiUrl}/latchkey/playgrounds${path}`, {
    method: 'POST',
    credentials: 'omit',
    signal: AbortSignal.timeout(patienceMs),
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new PlaygroundFailed(
      'other',
      `The server at ${apiUrl} does not respond. Your copy is still there: try again.`,
    );
  });
  const json: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return json;
  const message = messageOf(json) ?? `The server answered with ${answer.status}.`;
  const kind = answer.status === 404 ? 'ended' : answer.status === 503 ? 'missing' : 'other';
  throw new PlaygroundFailed(kind, message);
}

function messageOf(json: unknown): string | undefined {
  const { error } = (json ?? {}) as { error?: { message?: unknown } };
  return typeof error?.message === 'string' ? error.message : undefined;
}

export async function openPlayground(apiUrl: string): Promise<{ key: string; playground: Playground }> {
  return (await post(apiUrl, '')) as { key: string; playground: Playground };
}

export async function readPlayground(apiUrl: string, key: string): Promise<Playground> {
  return (await post(apiUrl, '/state', { key })) as Playground;
}

export async function act(apiUrl: string, key: string, action: Action, rule?: string): Promise<Playground> {
  return (await post(apiUrl, '/actions', { key, action, ...(rule !== undefined && { rule }) })) as Playground;
}

export async function endPlayground(apiUrl: string, key: string): Promise<void> {
  await post(apiUrl, '/actions', { key, action: 'end' });
}
