import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { linkAddress, type RedditAccess, RedditFault, readPairing, type Store, sync } from '@latchkey/devvit-app';
import { withDevvit } from '@latchkey/platforms/reddit';
import { selectLedger } from '../../gating/role-changes/index.ts';
import { type Guild, setUpGuild } from '../../gating/role-changes/testing/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { mallory, memoryHost, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { startMyRoleCheck } from '../my-roles/operations.ts';
import { checkCommunitySetup } from '../setup/check-setup.ts';
import { createDevvitDesk } from './desk.ts';
import { devvitOperations, getDevvitApp, pairDevvitApp, unpairDevvitApp } from './operations.ts';
import { syncDevvitApp } from './sync.ts';

/** A subreddit as the app sees it. */
function memoryReddit(name: string) {
  const flairs = [
    { id: 'gold', text: 'Gold' },
    { id: 'old', text: 'Old' },
  ];
  const shown = new Map<string, string>();
  const approved = new Set<string>();
  /** What the next changes of a user come to. */
  const faults = new Map<string, RedditFault>();
  let changes = 0;
  const change = (user: string, apply: () => void) => {
    const fault = faults.get(user);
    if (fault !== undefined) throw fault;
    changes += 1;
    apply();
  };
  const access: RedditAccess = {
    subreddit: async () => ({ id: 't5_abc', name }),
    flairs: async () => flairs,
    flairOf: async (user) => shown.get(user),
    isApproved: async (user) => approved.has(user),
    list: async (part, after = '0') => {
      const all = part === 'flair' ? [...shown] : [...approved].map((user) => [user, ''] as const);
      const from = Number(after);
      const users = all.slice(from, from + 2).map(([user, text]) => ({ name: user, text }));
      return { users, ...(from + 2 < all.length && { next: String(from + 2) }) };
    },
    setFlair: async (user, id) =>
      change(user, () => void shown.set(user, flairs.find((flair) => flair.id === id)?.text ?? '')),
    removeFlair: async (user) => change(user, () => void shown.delete(user)),
    approve: async (user) => change(user, () => void approved.add(user)),
    unapprove: async (user) => change(user, () => void approved.delete(user)),
  };
  return { access, shown, approved, faults, changes: () => changes };
}

function memoryStore(now: () => number): Store & { values: Map<string, string> } {
  const values = new Map<string, string>();
  const ends = new Map<string, number>();
  return {
    values,
    get: async (key) => ((ends.get(key) ?? Number.POSITIVE_INFINITY) > now() ? values.get(key) : undefined),
    set: async (key, value) => {
      ends.delete(key);
      values.set(key, value);
    },
    delete: async (key) => void values.delete(key),
    claim: async (key, value, seconds) => {
      if (values.has(key) && (ends.get(key) ?? Number.POSITIVE_INFINITY) > now()) return false;
      values.set(key, value);
      ends.set(key, now() + seconds * 1000);
      return true;
    },
  };
}

describe('a subreddit with a Devvit app', () => {
  let t: TestPlatform;
  let services: Services;
  const token = memoryHost('reddit');
  before(async () => {
    t = await testPlatform('devvit');
    services = { ...t.services, hosts: { reddit: withDevvit(token, createDevvitDesk(t.services)) } };
  });
  after(() => t.close());
  const as = (actor: Parameters<typeof contextFor>[1]): Context => contextFor(services, actor);

  type Answer = (body: string) => Promise<Response>;

  /** A subreddit with members who hold what the flair "gold" needs, and an app that is paired with it. */
  async function open(members = 3, roleId = 'flair:gold') {
    const rule = { type: 'ERC20', chainId: 1, contractAddress: `0x${'a'.repeat(40)}`, minToken: '1', roleId };
    const guild = await setUpGuild(
      { services, host: token, holdings: t.holdings },
      {
        members,
        platform: 'reddit',
        rules: [rule],
      },
    );
    sizes.set(guild, members);
    const [, , name = ''] = guild.id.split('#');
    const reddit = memoryReddit(name);
    const now = () => services.clock().getTime();
    const store = memoryStore(now);
    const pair = async () => (await pairDevvitApp(as(operator), { communityId: guild.id })).pairingCode;
    const server: Answer = async (body) => {
      try {
        return Response.json(await syncDevvitApp(as({ kind: 'anonymous' }), { body: JSON.parse(body) }));
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        if (code === undefined) throw error;
        return Response.json({ code, message }, { status: code === 'INVALID_CREDENTIAL' ? 401 : 400 });
      }
    };
    let count = 0;
    const run = (pairingCode: string, via: Answer = server, access = reddit.access) => {
      t.advanceSeconds(1);
      return sync({
        pairingCode,
        reddit: access,
        store,
        fetch: (url, { body }) => {
          assert.equal(url, 'http://latchkey.test/latchkey/devvit/sync');
          return via(body);
        },
        now,
        nonce: () => {
          count += 1;
          return `nonce-${String(count).padStart(12, '0')}`;
        },
      });
    };
    const rewarded = async () =>
      (
        await sql<{ state: string; tries: number; last_error: string | null }>`
        select state, tries, last_error from change_set_items where community_id = ${guild.id}
        order by user_id`.execute(services.db.system)
      ).rows;
    return { guild, name, reddit, store, pair, server, run, rewarded };
  }

  // Reddit lists only members with a flair or approval; others become known by their wallets.
  const sizes = new Map<Guild, number>();
  const everyone = (guild: Guild) => Array.from({ length: sizes.get(guild) ?? 0 }, (_, member) => member);

  const holdAll = (guild: Guild, members: number) => {
    for (let member = 0; member < members; member += 1) guild.hold(member, '5', `0x${'a'.repeat(40)}`);
  };

  test('gives flair through the app, and counts what the app read back', async () => {
    const { guild, reddit, pair, run, rewarded } = await open();
    const code = await pair();
    holdAll(guild, 3);
    // The job is retried.
    await assert.rejects(guild.resync(everyone(guild), 'wallet'), /has not reported what the subreddit has yet/);
    assert.deepEqual(await rewarded(), [], 'before the first report nobody’s roles are known');
    assert.deepEqual(await run(code), { kind: 'done', calls: 3, applied: 0 });
    await guild.resync(everyone(guild), 'wallet');
    assert.deepEqual(
      (await rewarded()).map(({ state }) => state),
      ['pending', 'pending', 'pending'],
    );
    assert.match((await rewarded())[0]?.last_error ?? '', /^Waiting for the Devvit app/);
    assert.equal(reddit.changes(), 0);
    assert.equal((await run(code)).kind, 'done');
    assert.deepEqual([...reddit.shown.values()], ['Gold', 'Gold', 'Gold']);
    assert.deepEqual(
      (await rewarded()).map(({ state }) => state),
      ['pending', 'pending', 'pending'],
    );
    await guild.write();
    assert.deepEqual(
      (await rewarded()).map(({ state }) => state),
      ['confirmed', 'confirmed', 'confirmed'],
    );
    assert.equal((await getDevvitApp(as(operator), { communityId: guild.id })).waiting, 0);
    guild.hold(0, '0', `0x${'a'.repeat(40)}`);
    await guild.resync([0], 'wallet');
    await run(code);
    await guild.write();
    assert.equal(reddit.shown.size, 2);
  });

  test('never fails a change because the app is silent, and shows that it is', async () => {
    const { guild, pair, run, rewarded } = await open(1);
    const code = await pair();
    await run(code);
    holdAll(guild, 1);
    await guild.resync(everyone(guild), 'wallet');
    for (let time = 0; time < 20; time += 1) {
      t.advanceSeconds(700);
      await guild.write();
    }
    assert.deepEqual(
      (await rewarded()).map(({ state, tries }) => ({ state, tries })),
      [{ state: 'pending', tries: 1 }],
    );
    assert.equal((await getDevvitApp(as(operator), { communityId: guild.id })).isSilent, true);
    const { state, checks } = await checkCommunitySetup(
      { ...as(operator), reddit: {} as never },
      { communityId: guild.id },
    );
    assert.equal(state, 'broken');
    assert.match(checks[0]?.reason ?? '', /It last called 233 minutes ago\. Changes wait for it\.$/);
    await run(code);
    await guild.write();
    assert.equal((await rewarded())[0]?.state, 'confirmed');
  });

  test('takes back what it asked for when the decision changes before the app calls', async () => {
    const { guild, reddit, pair, run } = await open(1);
    const code = await pair();
    await run(code);
    holdAll(guild, 1);
    await guild.resync(everyone(guild), 'wallet');
    guild.hold(0, '0', `0x${'a'.repeat(40)}`);
    await guild.resync([0], 'wallet');
    await run(code);
    assert.equal(reddit.changes(), 0);
    assert.equal((await getDevvitApp(as(operator), { communityId: guild.id })).waiting, 0);
  });

  test('goes on with the others when Reddit fails for one user, and retries that one', async () => {
    const { guild, reddit, pair, run, rewarded } = await open(3);
    const code = await pair();
    await run(code);
    holdAll(guild, 3);
    await guild.resync(everyone(guild), 'wallet');
    reddit.faults.set(guild.nativeIdOf(1), new RedditFault('failed', 'Reddit has a bad day.'));
    await run(code);
    await guild.write();
    assert.deepEqual(
      (await rewarded()).map(({ state }) => state),
      ['confirmed', 'pending', 'confirmed'],
    );
    assert.match((await rewarded())[1]?.last_error ?? '', /did not let the Devvit app apply the change now/);
    reddit.faults.clear();
    t.advanceSeconds(10);
    await run(code);
    await guild.write();
    assert.deepEqual(
      (await rewarded()).map(({ state }) => state),
      ['confirmed', 'confirmed', 'confirmed'],
    );
  });

  test('blocks the role that Reddit refuses to the app, with advice', async () => {
    const { guild, reddit, pair, run, rewarded } = await open(1, 'approved');
    const code = await pair();
    await run(code);
    holdAll(guild, 1);
    await guild.resync(everyone(guild), 'wallet');
    reddit.faults.set(guild.nativeIdOf(0), new RedditFault('refused', 'Not a moderator.'));
    await run(code);
    await guild.write();
    assert.match((await rewarded())[0]?.last_error ?? '', /Mod Tools > Installed apps/);
    const { rows } = await sql<{ role_id: string }>`
      select role_id from role_circuit_breakers where community_id = ${guild.id}`.execute(services.db.system);
    assert.deepEqual(rows, [{ role_id: 'approved' }]);
  });

  test('changes nothing twice when the app ends between applying and reporting', async () => {
    const { guild, reddit, pair, run, rewarded, store } = await open(1);
    const code = await pair();
    await run(code);
    holdAll(guild, 1);
    await guild.resync(everyone(guild), 'wallet');
    // Ends right after Reddit has applied it, before anything is stored.
    const dying: RedditAccess = {
      ...reddit.access,
      setFlair: async (user, id) => {
        await reddit.access.setFlair(user, id);
        store.set = () => Promise.reject(new Error('killed'));
      },
    };
    const { set } = store;
    await assert.rejects(run(code, undefined, dying), /killed/);
    store.set = set;
    assert.equal(reddit.changes(), 1);
    t.advanceSeconds(60);
    await run(code);
    await guild.write();
    assert.equal(reddit.changes(), 1);
    assert.equal((await rewarded())[0]?.state, 'confirmed');
    assert.equal((await selectLedger(services.db.system, guild.id, {}, undefined, 10)).length, 1);
  });

  test('keeps results while this server is down, and reports them afterwards', async () => {
    const { guild, pair, run, server, rewarded } = await open(1);
    const code = await pair();
    await run(code);
    holdAll(guild, 1);
    await guild.resync(everyone(guild), 'wallet');
    let calls = 0;
    const down: Answer = async (body) => {
      calls += 1;
      return calls === 1 ? server(body) : new Response('', { status: 503 });
    };
    assert.deepEqual(await run(code, down), { kind: 'stopped', reason: 'The server responded with status 503.' });
    assert.equal((await rewarded())[0]?.state, 'pending');
    await run(code);
    await guild.write();
    assert.equal((await rewarded())[0]?.state, 'confirmed');
  });

  test('accepts no word that is forged, replayed, expired, or for another subreddit or call', async () => {
    const { guild, reddit, pair, run, server } = await open(1);
    const other = await open(1);
    const [code, foreign] = [await pair(), await other.pair()];
    await run(code);
    holdAll(guild, 1);
    await guild.resync(everyone(guild), 'wallet');
    let kept = '';
    const altered =
      (change: (word: Record<string, unknown>) => void): Answer =>
      async (body) => {
        const answer = (await (await server(body)).json()) as { message: string; signature: string };
        const word = JSON.parse(answer.message) as Record<string, unknown>;
        change(word);
        return Response.json({ ...answer, message: JSON.stringify(word) });
      };
    const late: Answer = async (body) => {
      const response = await server(body);
      t.advanceSeconds(121);
      return response;
    };
    const keep: Answer = async (body) => {
      kept = await (await server(body)).text();
      return new Response('', { status: 500 });
    };
    const refusals: [Answer, RegExp][] = [
      [altered((word) => Object.assign(word, { sequence: 99 })), /not signed by the paired server/],
      [altered((word) => Object.assign(word, { orders: [] })), /not signed/],
      [late, /has expired/],
      [keep, /status 500/],
      [async () => new Response(kept), /for another call/],
      [async () => Response.json({ message: '{}', signature: '' }), /not signed/],
      [async () => new Response('null'), /unknown form/],
    ];
    for (const [answer, reason] of refusals) {
      const result = await run(code, answer);
      assert.ok(result.kind === 'stopped' && reason.test(result.reason), `${JSON.stringify(result)} ${reason}`);
      t.advanceSeconds(60);
    }
    // The code of another subreddit does not work in this one.
    assert.deepEqual(await run(foreign), { kind: 'stopped', reason: 'The server responded with status 401.' });
    assert.equal(reddit.changes(), 0);
    assert.equal((await run(code)).kind, 'done');
    assert.equal(reddit.changes(), 1);
  });

  test('refuses calls that are unproven, replayed, late, or of a pairing that was replaced or revoked', async () => {
    const { guild, pair, run, server } = await open(1);
    const code = await pair();
    const sent: string[] = [];
    await run(code, (body) => {
      sent.push(body);
      return server(body);
    });
    const [first = ''] = sent;
    const status = async (body: string) => (await server(body)).status;
    assert.equal(await status(first), 401, 'replayed');
    const { proof, ...call } = JSON.parse(first) as { communityId: string; message: string; proof: string };
    const later = call.message.replace(/"sentTime":\d+/, `"sentTime":${services.clock().getTime() + 1}`);
    assert.equal(await status(JSON.stringify({ ...call, message: later, proof })), 401, 'altered');
    assert.equal(await status(JSON.stringify({ ...call, communityId: 'RED#COMM#nowhere', proof })), 401);
    const early = await open(1);
    const earlyCode = await early.pair();
    await early.run(earlyCode, async (body) => {
      t.advanceSeconds(400);
      const response = await early.server(body);
      assert.equal(response.status, 401);
      return response;
    });
    const next = await pair();
    assert.equal((await run(code)).kind, 'stopped', 'replaced');
    assert.equal((await run(next)).kind, 'done');
    await unpairDevvitApp(as(operator), { communityId: guild.id });
    assert.equal((await run(next)).kind, 'stopped', 'revoked');
    assert.deepEqual(await getDevvitApp(as(operator), { communityId: guild.id }), { isPaired: false });
    assert.equal((await run('lkdv1.e30')).kind, 'unpaired');
    assert.equal((await run('a word')).kind, 'unpaired');
  });

  test('makes people known who are in no list when they ask for their own roles, and no one else', async () => {
    const { guild, reddit, pair, run } = await open(0);
    const code = await pair();
    const host = services.hosts.reddit;
    assert.ok(host);
    const unlisted: Services = { ...services, hosts: { reddit: { ...host, listsEveryone: false } } };
    const asking = (userId: string, platform: 'reddit' | 'discord' = 'reddit', at = unlisted) =>
      startMyRoleCheck(
        contextFor(at, { kind: 'user', userId, platform, scopes: ['$all'], credential: 'wallet-session' }),
        { communityId: guild.id },
      );
    const known = async () =>
      (
        await sql<{ user_id: string }>`
          select user_id from community_members where community_id = ${guild.id}`.execute(services.db.system)
      ).rows.map(({ user_id }) => user_id);
    await assert.rejects(asking('RED#USER#cat'), { code: 'UNAVAILABLE' }, 'the app has not reported anything yet');
    assert.deepEqual(await known(), []);
    await run(code);
    assert.equal((await asking('RED#USER#cat')).isWaiting, true);
    assert.deepEqual(await known(), ['RED#USER#cat']);
    await assert.rejects(asking('DIS#USER#1', 'discord'), { code: 'ENTITY_NOT_FOUND' });
    // Where the platform lists everyone, who is not listed is no member.
    await assert.rejects(asking('RED#USER#dog', 'reddit', services), { code: 'ENTITY_NOT_FOUND' });
    assert.deepEqual(await known(), ['RED#USER#cat']);
    assert.equal(reddit.changes(), 0);
  });

  test('refuses a pairing code that no app used for a day, and keeps one in use however long the app is silent', async () => {
    const { guild, pair, run } = await open(1);
    const unused = await pair();
    t.advanceSeconds(24 * 60 * 60);
    assert.equal((await run(unused)).kind, 'stopped');
    assert.equal((await getDevvitApp(as(operator), { communityId: guild.id })).isExpired, true);
    const { checks } = await checkCommunitySetup({ ...as(operator), reddit: {} as never }, { communityId: guild.id });
    assert.match(checks[0]?.reason ?? '', /expired before the app used it/);
    const code = await pair();
    assert.equal((await run(code)).kind, 'done');
    t.advanceSeconds(48 * 60 * 60);
    assert.equal((await run(code)).kind, 'done');
  });

  test('is paired once by admins who do it at the same time: one code works', async () => {
    const { pair, run } = await open(1);
    const codes = await Promise.all([pair(), pair(), pair()]);
    const kinds: string[] = [];
    for (const code of codes) kinds.push((await run(code)).kind);
    assert.deepEqual(kinds.toSorted(), ['done', 'stopped', 'stopped']);
  });

  test('is paired by admins in person only, and no secret of it is stored or logged in plain', async () => {
    const { guild, pair } = await open(1);
    const code = await pair();
    const secret = readPairing(code)?.secret ?? assert.fail('not a pairing code');
    for (const { method, contract } of devvitOperations.filter(({ path }) => !path.endsWith('/sync'))) {
      assert.equal(await contract.access.object?.admits(as(mallory), guild.id), false, method);
      if (method !== 'GET') assert.deepEqual(contract.access.scopes, []);
    }
    const { rows } = await sql<{ all: string }>`select devvit_apps::text as all from devvit_apps`.execute(
      services.db.system,
    );
    assert.ok(rows.length > 0 && rows.every(({ all }) => !all.includes(secret)));
    assert.ok(!t.log.lines.some((line) => line.includes(secret)));
    assert.equal(
      linkAddress({ url: 'https://latchkey.test', communityId: 'RED#COMM#cats' }),
      'https://latchkey.test/console/me/roles?community=RED%23COMM%23cats',
    );
  });
});
