import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { reddit } from '@devvit/reddit';
import { Header } from '@devvit/shared-types/Header.js';
import { createDevvitTest } from '@devvit/test/server/vitest';
import { expect, vi } from 'vitest';
import { handle } from './handle.ts';

const secret = 'the secret of the pairing';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');
const url = 'https://latchkey.example.org';
const communityId = 'RED#COMM#gated';
const pairingCode = `lkdv1.${Buffer.from(JSON.stringify({ url, communityId, secret, key })).toString('base64url')}`;

interface Call {
  subreddit: { id: string; name: string };
  nonce: string;
  sentTime: number;
  results: { orderId: string; outcome: string; roleId?: string }[];
  members: { name: string; flair?: string; approved?: string }[];
  page?: { list: string; members: object[]; isLast: boolean };
}

/** Users of the subreddit, in place of the calls that the test kit does not have. */
function stubReddit() {
  const shown = new Map<string, string>();
  const approved = new Set<string>();
  const listing = <Item>(items: Item[]) => ({ all: async () => items }) as never;
  vi.spyOn(reddit, 'getUserFlairTemplates').mockResolvedValue([{ id: 'gold', text: 'Gold' }] as never);
  vi.spyOn(reddit, 'getSubredditByName').mockResolvedValue({
    getUserFlair: async ({ usernames }: { usernames?: string[] }) => ({
      users: (usernames ?? [...shown.keys()]).map((user) => ({ user, flairText: shown.get(user) ?? '' })),
    }),
  } as never);
  vi.spyOn(reddit, 'getApprovedUsers').mockImplementation(({ username }) =>
    listing(
      [...approved].filter((one) => username === undefined || one === username).map((one) => ({ username: one })),
    ),
  );
  const setUserFlair = vi.spyOn(reddit, 'setUserFlair').mockImplementation(async ({ username }) => {
    shown.set(username, 'Gold');
  });
  vi.spyOn(reddit, 'removeUserFlair').mockImplementation(async (_subreddit, username) => void shown.delete(username));
  vi.spyOn(reddit, 'approveUser').mockImplementation(async (username) => void approved.add(username));
  vi.spyOn(reddit, 'removeUser').mockImplementation(async (username) => void approved.delete(username));
  return { shown, approved, setUserFlair };
}

/** A Latchkey server that asks for some orders once. */
function stubServer(orders: object[], change: (word: Record<string, unknown>) => void = () => undefined) {
  const calls: Call[] = [];
  let sequence = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    expect(String(address)).toBe(`${url}/latchkey/devvit/sync`);
    const { message, proof } = JSON.parse(String(init?.body)) as { message: string; proof: string };
    const expected = createHmac('sha256', secret).update(`latchkey-devvit-call\n${message}`).digest('base64url');
    expect(proof).toBe(expected);
    const call = JSON.parse(message) as Call;
    calls.push(call);
    sequence += 1;
    const now = Date.now();
    const word = {
      audience: call.subreddit.id,
      communityId,
      inReplyTo: call.nonce,
      sequence,
      issuedTime: now,
      expiresTime: now + 60_000,
      orders: sequence === 1 ? orders : [],
    };
    change(word);
    const text = JSON.stringify(word);
    const signature = sign(null, Buffer.from(`latchkey-devvit-word\n${text}`), privateKey).toString('base64url');
    return Response.json({ message: text, signature });
  });
  return calls;
}

const gold = { id: 'order-1', userName: 'cat', add: ['flair:gold', 'approved'], remove: [] };

const test = createDevvitTest({ subredditName: 'gated', subredditId: 't5_abc', settings: { pairingCode } });
const unpaired = createDevvitTest({ subredditName: 'gated', subredditId: 't5_abc', settings: { pairingCode: '' } });

test('applies what the server asks for, and reports what Reddit has then', async ({ headers }) => {
  expect(headers[Header.Subreddit]).toBe('t5_abc');
  const { shown, approved } = stubReddit();
  const calls = stubServer([gold]);
  expect(await handle('/internal/sync', {})).toEqual({ kind: 'done', calls: 2, applied: 1 });
  expect([...shown, ...approved]).toEqual([['cat', 'Gold'], 'cat']);
  expect(calls[1]?.results).toEqual([{ orderId: 'order-1', outcome: 'applied' }]);
  expect(calls[1]?.members).toEqual([{ name: 'cat', flair: 'flair:gold', approved: 'approved' }]);
});

test('reports a user that Reddit refuses, and goes on with the others', async () => {
  const { setUserFlair, approved } = stubReddit();
  setUserFlair.mockRejectedValueOnce(new Error('HTTP 403 Forbidden'));
  const calls = stubServer([gold, { ...gold, id: 'order-2', userName: 'dog', add: ['approved'] }]);
  expect(await handle('/internal/sync', {})).toEqual({ kind: 'done', calls: 2, applied: 1 });
  expect(calls[1]?.results).toEqual([
    { orderId: 'order-1', outcome: 'refused', roleId: 'flair:gold' },
    { orderId: 'order-2', outcome: 'applied' },
  ]);
  expect([...approved]).toEqual(['dog']);
});

test('accepts no word for another subreddit, call or time, and none twice', async () => {
  const { shown } = stubReddit();
  const changes: ((word: Record<string, unknown>) => void)[] = [
    (word) => Object.assign(word, { audience: 't5_other' }),
    (word) => Object.assign(word, { communityId: 'RED#COMM#other' }),
    (word) => Object.assign(word, { inReplyTo: 'another call' }),
    (word) => Object.assign(word, { expiresTime: Date.now() - 1 }),
    (word) => Object.assign(word, { sequence: 0 }),
    (word) => Object.assign(word, { orders: 'all' }),
  ];
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (const change of changes) {
    stubServer([gold], change);
    expect(await handle('/internal/sync', {})).toMatchObject({ kind: 'stopped' });
  }
  expect(shown.size).toBe(0);
});

test('keeps what it applied while the server is down', async () => {
  stubReddit();
  const calls = stubServer([gold]);
  const through = vi.mocked(globalThis.fetch).getMockImplementation();
  vi.mocked(globalThis.fetch).mockImplementation(async (...args) =>
    calls.length === 0 ? (through?.(...args) ?? new Response()) : new Response('', { status: 503 }),
  );
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  expect(await handle('/internal/sync', {})).toMatchObject({ kind: 'stopped' });
  const later = stubServer([]);
  // The stub starts counting again; a real server does not.
  vi.mocked(globalThis.fetch).mockClear();
  await handle('/internal/sync', {});
  expect(later[0]?.results).toEqual([{ orderId: 'order-1', outcome: 'applied' }]);
});

test('reads a user again whose flair a moderator changed', async () => {
  const { shown } = stubReddit();
  shown.set('cat', 'Gold');
  const calls = stubServer([]);
  await handle('/internal/mod-action', { action: 'editflair', targetUser: { name: 'cat' } });
  expect(calls[0]?.members).toEqual([{ name: 'cat', flair: 'flair:gold' }]);
});

test('leads members to the paired server, and vouches for nobody', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  expect(await handle('/internal/menu/link', {})).toEqual({
    navigateTo: `${url}/console/me/roles?community=RED%23COMM%23gated`,
  });
  expect(fetched).not.toHaveBeenCalled();
  expect(await handle('/api/other', {})).toBeUndefined();
});

unpaired('does nothing without a pairing code', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  expect(await handle('/internal/sync', {})).toEqual({ kind: 'unpaired' });
  expect(await handle('/internal/menu/link', {})).toEqual({
    showToast: 'The moderators have not connected Latchkey yet.',
  });
  expect(await handle('/internal/menu/check', {})).toMatchObject({
    showToast: expect.stringContaining('pairing code'),
  });
  expect(fetched).not.toHaveBeenCalled();
});
