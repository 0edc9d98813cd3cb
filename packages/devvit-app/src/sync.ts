import { type Pairing, proofOf, readPairing } from './pairing.ts';
import { applyOrder, type Flair, type Member, type RedditAccess, type Result, readMember, roleOf } from './reddit.ts';
import { type ListPart, readWord, type Word } from './word.ts';

/** What stays between runs. Devvit gives every installation its own. */
export interface Store {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Sets a value that expires, unless there is one. Returns false then. */
  claim(key: string, value: string, seconds: number): Promise<boolean>;
}

export interface SyncOptions {
  pairingCode: unknown;
  reddit: RedditAccess;
  store: Store;
  fetch: (url: string, init: { method: string; headers: Record<string, string>; body: string }) => Promise<Response>;
  now: () => number;
  /** A random text of at least 16 characters. */
  nonce: () => string;
  /** Users who changed, to be read by name. */
  names?: readonly string[];
}

export type SyncResult =
  | { kind: 'unpaired' }
  /** Another run is at work. */
  | { kind: 'busy' }
  | { kind: 'done'; calls: number; applied: number }
  /** The server did not respond, or its response was not accepted. Nothing is lost: the next run continues. */
  | { kind: 'stopped'; reason: string };

/** Devvit ends a run after 30 seconds. */
const runMs = 20_000;
const lockSeconds = 45;
const mostCalls = 20;

interface Page {
  round: string;
  list: ListPart;
  members: { name: string; roleId: string }[];
  isLast: boolean;
  next?: string;
}

/** Reports to the server and applies what it asks for, until there is nothing left or the time is over. */
export async function sync(options: SyncOptions): Promise<SyncResult> {
  const { store, now, nonce } = options;
  const pairing = readPairing(options.pairingCode);
  if (pairing === undefined) return { kind: 'unpaired' };
  const run = nonce();
  if (!(await store.claim('lock', run, lockSeconds))) return { kind: 'busy' };
  try {
    return await callUntilDone(options, pairing, now() + runMs);
  } finally {
    if ((await store.get('lock')) === run) await store.delete('lock');
  }
}

async function callUntilDone(options: SyncOptions, pairing: Pairing, untilMs: number): Promise<SyncResult> {
  const { reddit, now } = options;
  const [subreddit, flairs] = await Promise.all([reddit.subreddit(), reddit.flairs()]);
  let members = await Promise.all((options.names ?? []).map((name) => readMember(reddit, name, flairs)));
  let page: Page | undefined;
  let applied = 0;
  for (let calls = 1; ; calls += 1) {
    const results = await readResults(options, pairing);
    const report = { subreddit, flairs: flairs.map(({ id, text }) => ({ roleId: `flair:${id}`, text })), members };
    let word: Word;
    try {
      word = await call(options, pairing, { ...report, results, page });
    } catch (error) {
      return { kind: 'stopped', reason: error instanceof Error ? error.message : 'The server did not respond.' };
    }
    members = [];
    await dropResults(options, pairing, results);
    if (page !== undefined) await keepPlace(options, page);
    for (const order of word.orders) {
      // A newer word may have replaced this one: then another run applies what counts.
      if (now() >= untilMs || (await readSequence(options, pairing)) !== word.sequence) break;
      const result = await applyOrder(reddit, order, flairs);
      await addResult(options, pairing, result);
      if (result.outcome === 'applied') applied += 1;
    }
    const isOver = now() >= untilMs || calls >= mostCalls;
    page = isOver ? undefined : await readPage(options, word, flairs);
    if (isOver || (word.orders.length === 0 && page === undefined)) return { kind: 'done', calls, applied };
  }
}

interface Report {
  subreddit: { id: string; name: string };
  flairs: { roleId: string; text: string }[];
  members: readonly Member[];
  results: readonly Result[];
  page: Page | undefined;
}

/** Throws if the server does not respond, or if its response is not to be trusted. */
async function call(options: SyncOptions, pairing: Pairing, report: Report): Promise<Word> {
  const { store, now } = options;
  const nonce = options.nonce();
  const sentKey = `sent:${pairing.id}`;
  // The server takes each time once, and in order.
  const sentTime = Math.max(now(), Number((await store.get(sentKey)) ?? 0) + 1);
  await store.set(sentKey, String(sentTime));
  const read = report.results.flatMap(({ member }) => member ?? []);
  const message = JSON.stringify({
    subreddit: report.subreddit,
    sentTime,
    nonce,
    flairs: report.flairs,
    members: [...report.members, ...read],
    results: report.results.map(({ member: _, ...result }) => result),
    ...(report.page !== undefined && { page: { ...report.page, next: undefined } }),
  });
  const response = await options.fetch(`${pairing.url}/latchkey/devvit/sync`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ communityId: pairing.communityId, message, proof: proofOf(pairing, message) }),
  });
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  const word = readWord(await response.json(), {
    pairing,
    subredditId: report.subreddit.id,
    nonce,
    after: await readSequence(options, pairing),
    nowMs: now(),
  });
  await store.set(`sequence:${pairing.id}`, String(word.sequence));
  return word;
}

async function readSequence({ store }: SyncOptions, { id }: Pairing): Promise<number> {
  return Number((await store.get(`sequence:${id}`)) ?? 0);
}

// Results are stored before they are reported, and deleted once the server has them: a run may end at any point.

async function readResults({ store }: SyncOptions, { id }: Pairing): Promise<Result[]> {
  return JSON.parse((await store.get(`results:${id}`)) ?? '[]') as Result[];
}

async function addResult(options: SyncOptions, pairing: Pairing, result: Result): Promise<void> {
  const all = [...(await readResults(options, pairing)), result];
  await options.store.set(`results:${pairing.id}`, JSON.stringify(all.slice(-mostResults)));
}

const mostResults = 200;

async function dropResults(options: SyncOptions, pairing: Pairing, reported: readonly Result[]): Promise<void> {
  if (reported.length === 0) return;
  const ids = new Set(reported.map(({ orderId }) => orderId));
  const left = (await readResults(options, pairing)).filter(({ orderId }) => !ids.has(orderId));
  await options.store.set(`results:${pairing.id}`, JSON.stringify(left));
}

/** The next page of the list that the server asks for, from where the last one that it has ended. */
async function readPage(
  { reddit, store }: SyncOptions,
  { list }: Word,
  flairs: readonly Flair[],
): Promise<Page | undefined> {
  const part = list?.parts[0];
  if (list === undefined || part === undefined) return undefined;
  const place = JSON.parse((await store.get('place')) ?? '{}') as { round?: string; part?: ListPart; after?: string };
  const isSame = place.round === list.round && place.part === part;
  const { users, next } = await reddit.list(part, isSame ? place.after : undefined);
  const members = users.flatMap(({ name, text }) => {
    const roleId = part === 'approved' ? 'approved' : roleOf(text, flairs);
    return roleId === undefined ? [] : [{ name, roleId }];
  });
  return { round: list.round, list: part, members, isLast: next === undefined, ...(next !== undefined && { next }) };
}

async function keepPlace({ store }: SyncOptions, { round, list: part, next: after }: Page): Promise<void> {
  await store.set('place', JSON.stringify({ round, part, after }));
}
