import type { Gate, Visitor } from './gate.ts';
import type { Verdict } from './verdict.ts';

/** The options of every adapter. `Req` is what the framework hands to a handler. */
export interface GuardOptions<Req> {
  /** Returns the visitor from your own session; undefined if not signed in. */
  visitor(request: Req): Visitor | undefined | Promise<Visitor | undefined>;
  /** Where to send visitors who are not signed in and open a page. API requests get 401. */
  loginUrl?: string;
}

/** The response for a visitor who does not pass. */
export interface Refusal {
  status: 302 | 401 | 403 | 503;
  headers: Record<string, string>;
  body: string;
}

export type Outcome = { holder: Verdict; refusal?: undefined } | { refusal: Refusal };

/** Decides about one request, independent of the framework. */
export async function guard<Req>(
  gate: Gate,
  { visitor, loginUrl }: GuardOptions<Req>,
  request: Req,
  accept: string | null | undefined,
): Promise<Outcome> {
  const found = await visitor(request);
  if (found === undefined) {
    const wantsPage = accept?.includes('text/html') === true;
    return {
      refusal: wantsPage && loginUrl !== undefined ? redirectTo(loginUrl) : refuse(401, 'Sign in to continue.'),
    };
  }
  const holder = await gate.check(found);
  if (holder.status === 'granted') return { holder };
  if (holder.status === 'denied') return { refusal: refuse(403, 'Your wallets do not hold what this page requires.') };
  return { refusal: refuse(503, 'Your wallets could not be checked. Try again in a moment.', { 'retry-after': '5' }) };
}

/** Returns what `useHolder` of the React part reads: the visitor's state at this gate. */
export async function describeHolder(gate: Gate, visitor: Visitor | undefined): Promise<HolderState> {
  if (visitor === undefined) return { status: 'signed-out', roles: [] };
  const { status, roles } = await gate.check(visitor);
  return { status, roles };
}

export interface HolderState {
  status: Verdict['status'] | 'signed-out';
  roles: readonly string[];
}

const always = { 'cache-control': 'no-store' };

function refuse(status: 401 | 403 | 503, message: string, headers: Record<string, string> = {}): Refusal {
  return {
    status,
    headers: { ...always, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ error: { statusCode: status, message } }),
  };
}

function redirectTo(location: string): Refusal {
  return { status: 302, headers: { ...always, location }, body: '' };
}
