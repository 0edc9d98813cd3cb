import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { type Context, contextFor } from '../../shared/context.ts';
import { alice, mallory, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import {
  type ClientApplication,
  type ClientApplicationCreate,
  clientApps,
  decideClientApp,
} from '../client-apps/index.ts';
import { createSlug, slugsSealed } from './index.ts';
import { removeExpiredSlugs } from './jobs.ts';
import { createState, getState, redirectSlug } from './operations.ts';

describe('states', () => {
  const baseUrl = 'http://latchkey.test';
  const isGone = { code: 'ENTITY_NOT_FOUND' };

  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('states');
  });
  after(() => t.close());

  const keep = (actor: Actor, body: Record<string, unknown>) => createState(t.as(actor), { body });
  const read = (slug: string) => getState(t.as(nobody), { slug });
  const follow = async (slug: string) => (await redirectSlug(t.as(nobody), { slug })).location;

  // An operation's type loses the context of its verb.
  const createApp = clientApps.operations[0].verb as (
    ctx: Context,
    input: { body: ClientApplicationCreate },
  ) => Promise<ClientApplication>;

  /** Creates an approved application, and returns the actor of its key. */
  async function makeApp(redirectUris: string[], allowedOrigins: string[]): Promise<Actor & { kind: 'client' }> {
    const made = await createApp(t.as(alice), {
      body: { name: 'App', clientType: 'public', redirectUris, allowedOrigins },
    });
    const id = made.id ?? '';
    await decideClientApp(t.as(operator), { id, decision: 'approve', scopes: ['state:create'] });
    return {
      kind: 'client',
      credential: 'api-key',
      client: { id, name: 'App', allowedScopes: ['state:create'], disallowedScopes: [] },
    };
  }

  test('anyone with the link reads the stored state, for 15 minutes', async () => {
    const state = { step: 2, nested: { list: [1, null, 'ü\u0000🔑'] }, ['__proto__']: 'own', url: 7 };
    const { url, slug, expiresAt } = await keep(alice, state);
    assert.match(slug, /^[0-9A-Za-z]{21}$/);
    assert.equal(url, `${baseUrl}/slugs/${slug}`);
    assert.equal(expiresAt, t.services.clock().getTime() / 1000 + 900);
    assert.deepEqual(await read(slug), state);
    assert.equal(await follow(slug), `${baseUrl}/states/${slug}`);
    t.advanceSeconds(899);
    assert.deepEqual(await read(slug), state);
    t.advanceSeconds(1);
    await assert.rejects(read(slug), isGone);
    await assert.rejects(follow(slug), isGone);
  });

  test('an unknown slug gets the same error as an expired one', async () => {
    const { slug } = await keep(alice, {});
    t.advanceSeconds(900);
    const messageOf = (work: Promise<unknown>) =>
      work.then(
        () => assert.fail('found'),
        (error: Error) => error.message,
      );
    for (const find of [read, follow])
      assert.equal(await messageOf(find('V1StGXR8Z5jdHi6BmyTaa')), await messageOf(find(slug)));
    for (const strange of ['', '\u0000', slug.toLowerCase(), `${slug}0`]) await assert.rejects(read(strange), isGone);
  });

  test('a link redirects to a URL of the application that created it, and the state is stored with it', async () => {
    const app = await makeApp(['https://app.example/done?x=1'], ['https://web.example', 'http://localhost:3000']);
    const user: Actor = {
      kind: 'user',
      userId: 'DIS#USER#100',
      platform: 'discord',
      scopes: ['$all'],
      credential: 'wallet-session',
      client: app.client,
    };
    for (const url of [
      'https://app.example/done?x=1',
      'https://web.example',
      'https://web.example/any/path?q#f',
      'http://localhost:3000/',
    ]) {
      for (const actor of [app, user]) {
        const { slug } = await keep(actor, { url, more: 1 });
        assert.equal(await follow(slug), new URL(url).href);
        assert.deepEqual(await read(slug), { url, more: 1 });
      }
    }
  });

  test('a link redirects nowhere else', async () => {
    const app = await makeApp(['https://app.example/done'], ['https://web.example']);
    const refused = [
      'https://evil.example/',
      'https://app.example/',
      'https://app.example/done/',
      'https://app.example/done?x=1',
      'https://app.example/done#x',
      'https://app.example/done/../evil',
      'https://app.example:443/other',
      'http://web.example/',
      'https://web.example:8443/',
      'https://web.example.evil.example/',
      'https://web.example@evil.example/',
      'https://user@web.example/',
      'https://user:pass@web.example/',
      'https://sub.web.example/',
      'https://web.example./',
      '//web.example/',
      '/states/1',
      'web.example',
      '',
      'javascript:alert(1)//https://web.example',
      'data:text/html,x',
      'blob:https://web.example/1',
      `https://web.example/${'x'.repeat(2048)}`,
      `${baseUrl}/ping`,
    ];
    const before = await countSlugs();
    for (const url of refused) {
      await assert.rejects(keep(app, { url }), (error: Error & { code?: string; details?: unknown }) => {
        assert.equal(error.code, 'VALIDATION_FAILED', url);
        const [detail] = error.details as { path: string }[];
        assert.equal(detail?.path, '/url');
        return true;
      });
    }
    assert.equal(await countSlugs(), before);
  });

  test('unusual forms of an allowed URL redirect to the canonical form that was checked', async () => {
    const app = await makeApp([], ['https://web.example']);
    for (const [url, location] of [
      ['https:\\\\web.example\\@evil.example', 'https://web.example/@evil.example'],
      ['https://WEB.example:443/a b', 'https://web.example/a%20b'],
      ['https://web.example/\r\nSet-Cookie:x', 'https://web.example/Set-Cookie:x'],
      ['https://web.example/ü', 'https://web.example/%C3%BC'],
    ] as const) {
      assert.equal(await follow((await keep(app, { url })).slug), location);
    }
  });

  test('without an application a link stays on this server, for every caller', async () => {
    for (const actor of [alice, operator]) {
      const { slug } = await keep(actor, { url: `${baseUrl}/ping?x=1` });
      assert.equal(await follow(slug), `${baseUrl}/ping?x=1`);
      for (const url of [
        'https://latchkey.test/',
        'http://latchkey.test.evil.example/',
        'http://x@latchkey.test/',
        'https://evil.example/',
      ]) {
        await assert.rejects(keep(actor, { url }), { code: 'VALIDATION_FAILED' });
      }
    }
  });

  test('the links of a revoked or unknown application redirect nowhere', async () => {
    const app = await makeApp([], ['https://web.example']);
    await keep(app, { url: 'https://web.example/' });
    await decideClientApp(t.as(operator), { id: app.client.id, decision: 'revoke' });
    await assert.rejects(keep(app, { url: 'https://web.example/' }), { code: 'VALIDATION_FAILED' });
    const unknown: Actor = { kind: 'client', credential: 'api-key', client: { ...app.client, id: 'no-such-app' } };
    await assert.rejects(keep(unknown, { url: 'https://web.example/' }), { code: 'VALIDATION_FAILED' });
  });

  test('a state of 64 kB is stored, one byte more is not', async () => {
    const fits = { data: 'x'.repeat(64 * 1024 - '{"data":""}'.length) };
    assert.deepEqual(await read((await keep(alice, fits)).slug), fits);
    await assert.rejects(keep(alice, { data: `${fits.data}x` }), { code: 'BODY_TOO_LARGE', message: /65536 bytes/ });
    await assert.rejects(keep(alice, { data: 'ü'.repeat(40_000) }), { code: 'BODY_TOO_LARGE' });
  });

  test('a state whose transaction is rolled back is not stored', async () => {
    let slug = '';
    const work = t.services.db.transaction({ owner: 'DIS#USER#100' }, async (tx) => {
      ({ slug } = await createState(contextFor(t.services, alice, tx), { body: { half: true } }));
      throw new Error('the rest failed');
    });
    await assert.rejects(work, /the rest failed/);
    assert.notEqual(slug, '');
    await assert.rejects(read(slug), isGone);
  });

  test('a feature can create a plain short link, which is not a state', async () => {
    const ctx = t.as(nobody);
    const { slug, url, expiresAt } = await ctx.tx((tx) =>
      createSlug(ctx, tx, { url: 'https://else.example/x', ttlSeconds: 60 }),
    );
    assert.equal(url, `${baseUrl}/slugs/${slug}`);
    assert.equal(expiresAt, t.services.clock().getTime() / 1000 + 60);
    assert.equal(await follow(slug), 'https://else.example/x');
    await assert.rejects(read(slug), isGone);
    await assert.rejects(
      ctx.tx((tx) => createSlug(ctx, tx, { url: 'not an address', ttlSeconds: 60 })),
      /Invalid URL/,
    );
    t.advanceSeconds(60);
    await assert.rejects(follow(slug), isGone);
  });

  test('neither the slug nor the state is readable in the table or the log, and rows are their owner’s', async () => {
    const { slug } = await keep(alice, { token: 'very-secret-token' });
    const rows = await t.services.db.system.selectFrom('slugs').selectAll().execute();
    const written = JSON.stringify(rows) + t.log.lines.join('\n');
    assert.match(written, /"owner_id":"DIS#USER#100"/);
    for (const secret of [slug, 'very-secret-token', Buffer.from('very-secret-token').toString('base64url')]) {
      assert.ok(!written.includes(secret));
    }
    const seenBy = (actor: Actor) =>
      t.as(actor).tx((tx) => tx.selectFrom('slugs').select('owner_id').distinct().execute());
    assert.deepEqual(await seenBy(alice), [{ owner_id: 'DIS#USER#100' }]);
    assert.deepEqual(await seenBy(mallory), []);
    const [column] = slugsSealed;
    for (const row of rows) assert.ok(t.services.keyring.open(column?.placeOf(row.slug_hash) ?? '', row.content));
  });

  async function countSlugs(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from slugs`.execute(t.services.db.system);
    return rows[0]?.count ?? 0;
  }

  test('the hourly job removes all that has expired and nothing else, and stops when told to', async () => {
    const { slug } = await keep(alice, { kept: true });
    const [row] = await t.services.db.system.selectFrom('slugs').select('content').limit(1).execute();
    const now = t.services.clock();
    await sql`insert into slugs (slug_hash, owner_id, content, created_at, expires_at)
    select encode(sha256(n::text::bytea), 'hex'), 'someone', ${row?.content}, ${now}, ${now} from generate_series(1, 12000) n`.execute(
      t.services.db.system,
    );
    const full = await countSlugs();
    const stop = new AbortController();
    const run = () => removeExpiredSlugs.run(t.services, {}, { id: 'job', attempt: 1, signal: stop.signal });
    stop.abort();
    await run();
    assert.equal(await countSlugs(), full);
    await removeExpiredSlugs.run(t.services, {}, { id: 'job', attempt: 1, signal: new AbortController().signal });
    const left = await t.services.db.system.selectFrom('slugs').select('expires_at').execute();
    assert.ok(left.length > 0 && left.every(({ expires_at }) => expires_at > now));
    assert.deepEqual(await read(slug), { kept: true });
  });
});
