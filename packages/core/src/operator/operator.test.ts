import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { enqueue, leaveProcess, registerProcess, sql } from '@latchkey/db';
import { job, shape, T } from '@latchkey/kernel';
import { putMembers } from '../communities/memberships/index.ts';
import { setUpGuild } from '../gating/role-changes/testing/index.ts';
import { pageOfClientApps } from '../identity/client-apps/index.ts';
import { newApp } from '../identity/client-apps/testing.ts';
import { createAdminKey, verifyAdminKey } from '../identity/credentials/index.ts';
import { ensureSigningKeys } from '../services/signing-keys/index.ts';
import { alice, mallory, operator, type TestPlatform, testPlatform } from '../testing/index.ts';
import { listDeadJobs, retryDeadJobs } from './dead-jobs/operations.ts';
import { listAllCommunities, transfer } from './directory/communities.ts';
import { getPerson, listPeople } from './directory/people.ts';
import { readStateMetrics } from './health/metrics.ts';
import { checkHealth, listChainStates } from './health/operations.ts';
import { getSpending } from './installation/operations.ts';
import {
  makeAdminKey,
  readAdminKeys,
  readMasterKeys,
  readSigningKeys,
  rotateSigningKey,
  takeAdminKeyBack,
} from './operator-keys/operations.ts';
import { decideApplication, examineApplication } from './reviews/operations.ts';

const failing = job('operator-test.fail', { payload: shape(T.Object({})) }, async () => undefined);

describe('the operator', () => {
  let t: TestPlatform;
  let communityId: string;
  before(async () => {
    t = await testPlatform('operator');
    await ensureSigningKeys(t.services);
    ({ id: communityId } = await setUpGuild(t, { members: 3 }));
  });
  after(() => t.close());

  async function bury(error: string): Promise<string> {
    const { system } = t.services.db;
    await t.services.db.transaction('system', (tx) => enqueue(tx, failing, {}));
    const { rows } = await sql<{ id: string }>`
      update jobs set state = 'dead', failures = 5, last_error = ${error}, died_at = now()
      where name = ${failing.name} and state = 'ready' returning id::text as id`.execute(system);
    return rows[0]?.id ?? '';
  }

  it('sees dead jobs with only the first line of the reason, page by page, and retries some or one kind', async () => {
    const ids = [await bury('It broke.\n  at secret (file.ts)'), await bury(''), await bury('Third.')];
    const ctx = t.as(operator);
    const first = await listDeadJobs(ctx, { limit: 2 });
    assert.deepEqual(
      first.items.map(({ id, reason, attempts }) => [id, reason, attempts]),
      [
        [ids[2], 'Third.', 5],
        [ids[1], 'No reason was recorded.', 5],
      ],
    );
    assert.ok(first.paginationToken);
    const rest = await listDeadJobs(ctx, { limit: 2, paginationToken: first.paginationToken });
    assert.deepEqual(
      rest.items.map(({ id, reason }) => [id, reason]),
      [[ids[0], 'It broke.']],
    );
    assert.deepEqual((await listDeadJobs(ctx, { name: 'another.kind' })).items, []);
    const health = await checkHealth(ctx);
    assert.deepEqual(
      health.checks.filter(({ subject }) => subject === 'jobs').map(({ state, summary }) => [state, summary]),
      [['attention', '3 jobs were given up after the last attempt.']],
    );
    assert.deepEqual(await retryDeadJobs(ctx, { body: { ids, name: 'another.kind' } }), { retried: 0 });
    assert.deepEqual(await retryDeadJobs(ctx, { body: { ids: [ids[0] ?? '', '999999'] } }), { retried: 1 });
    assert.deepEqual(await retryDeadJobs(ctx, { body: { name: failing.name } }), { retried: 2 });
    assert.deepEqual(await retryDeadJobs(ctx, { body: { name: failing.name } }), { retried: 0 });
    await assert.rejects(retryDeadJobs(ctx, { body: {} }), { code: 'VALIDATION_FAILED' });
  });

  it('sees in the health check what could not be read externally, and which shards are rejected', async () => {
    const ctx = t.as(operator);
    const { system } = t.services.db;
    const finding = async (subject: string) =>
      (await checkHealth(ctx)).checks.find((check) => check.subject === subject);
    assert.equal((await finding('data'))?.state, 'ok');
    const process = { ...t.services.process, logLevel: 'info', debugSettings: '', logVersion: 0 };
    const member = { source: 'discord', kind: 'member', count: 2 };
    await registerProcess(system, { ...process, id: 'one', faults: { malformed: [member] } });
    const stoppedShards = [{ platform: 'discord', shard: '0', code: '4014' }];
    await registerProcess(system, { ...process, id: 'two', faults: { malformed: [member], stoppedShards } });
    const data = await finding('data');
    assert.equal(data?.state, 'attention');
    assert.match(data?.summary ?? '', /4 × member from discord/);
    const platforms = await finding('platforms');
    assert.equal(platforms?.state, 'failing');
    assert.match(platforms?.summary ?? '', /4014/);
    for (const id of ['one', 'two']) await leaveProcess(system, id);
  });

  it('finds communities by id and by the beginning of a name, and transfers one to another user', async () => {
    const ctx = t.as(operator);
    const [found] = (await listAllCommunities(ctx, { search: communityId })).items;
    assert.equal(found?.id, communityId);
    const search = found?.name.slice(0, 3).toUpperCase() ?? '';
    assert.deepEqual(
      (await listAllCommunities(ctx, { search })).items.map(({ id }) => id),
      [communityId],
    );
    for (const none of ['%', '_', 'no such community'])
      assert.deepEqual((await listAllCommunities(ctx, { search: none })).items, []);
    assert.deepEqual((await listAllCommunities(ctx, { status: 'kicked' })).items, []);
    const body = { userId: 'DIS#USER#4711' };
    await transfer(ctx, { communityId, body });
    assert.equal((await listAllCommunities(ctx, {})).items[0]?.ownerId, body.userId);
    await assert.rejects(transfer(ctx, { communityId: 'DIS#COMM#0', body }), { code: 'ENTITY_NOT_FOUND' });
    await assert.rejects(transfer(ctx, { communityId, body: { userId: 'alice' } }), {
      code: 'INVALID_PARAMETER_VALUE',
    });
  });

  it('finds people by id, name and wallet, each once, in pages that omit no one', async () => {
    const { system } = t.services.db;
    const seen = { userId: 'DIS#USER#1', userName: 'Zoë_%', roleIds: [] };
    await putMembers(system, communityId, [seen, { userId: 'DIS#USER#2', roleIds: [] }], t.services.clock());
    const address = '0xAbCdef0123456789abcdef0123456789ABCDEF01';
    await sql`insert into wallet_connections (id, user_id, platform, namespace, address, created_at)
      values ('w-1', 'DIS#USER#1', 'discord', 'evm', ${address}, now()),
        ('w-2', 'ETH#USER#x', 'ethereum', 'evm', '0x0000000000000000000000000000000000000002', now())`.execute(system);
    const ctx = t.as(operator);
    const all: string[] = [];
    for (let paginationToken: string | undefined, more = true; more; more = paginationToken !== undefined) {
      const page = await listPeople(ctx, { limit: 2, ...(paginationToken !== undefined && { paginationToken }) });
      all.push(...page.items.map(({ userId }) => userId));
      paginationToken = page.paginationToken;
    }
    assert.deepEqual(all, [...new Set(all)].toSorted());
    assert.ok(all.includes('ETH#USER#x') && all.includes('DIS#USER#1'));
    for (const search of ['DIS#USER#1', 'zoë', 'ZOË_%', address.toLowerCase()])
      assert.deepEqual(
        (await listPeople(ctx, { search })).items.map(({ userId, wallets }) => [userId, wallets]),
        [['DIS#USER#1', 1]],
        search,
      );
    assert.deepEqual((await listPeople(ctx, { search: 'zo%' })).items, []);
    const person = await getPerson(ctx, { userId: 'DIS#USER#1' });
    assert.deepEqual(
      [person.name, person.wallets.map((wallet) => wallet.address), person.communities.map(({ id }) => id)],
      ['Zoë_%', [address], [communityId]],
    );
    await assert.rejects(getPerson(ctx, { userId: 'DIS#USER#0' }), { code: 'ENTITY_NOT_FOUND' });
  });

  it('finds applications by status and name, approves one once, and is told what will fail', async () => {
    const { id = '', name = '' } = await newApp(t, alice);
    const ctx = t.as(operator);
    const found = async (request: Parameters<typeof pageOfClientApps>[1]) =>
      (await pageOfClientApps(ctx, request)).items.map((app) => app.id);
    assert.deepEqual(await found({ status: 'PENDING', search: name.slice(0, 2) }), [id]);
    assert.deepEqual(await found({ search: id }), [id]);
    assert.deepEqual(await found({ search: 'nothing is called so' }), []);
    const body = { decision: 'approve', scopes: ['user:read'] } as const;
    const decided = await decideApplication(ctx, { id, body: { ...body, scopes: [...body.scopes] } });
    assert.deepEqual([decided.status, decided.allowedScopes], ['APPROVED', ['user:read']]);
    await assert.rejects(decideApplication(ctx, { id, body: { decision: 'approve' } }), { code: 'STATE_CONFLICT' });
    await assert.rejects(pageOfClientApps(t.as(mallory), {}), { code: 'ROLE_NOT_ALLOWED' });
    const { findings } = await examineApplication(ctx, { id });
    assert.ok(findings.some(({ about, level }) => about === 'status' && level === 'ok'));
  });

  it('creates keys no stronger than its own, and keeps the last one', async () => {
    const { key } = await createAdminKey(t.services, 'short', {
      expiresAt: new Date('2026-01-16T12:00:00Z'),
      allowedIpAddresses: ['192.0.2.0/24'],
    });
    const limited = t.as(await verifyAdminKey(t.services, key, '192.0.2.7'));
    const ask = (expiresTime?: string, allowedIpAddresses?: string[]) =>
      makeAdminKey(limited, {
        body: {
          name: 'next',
          ...(expiresTime !== undefined && { expiresTime }),
          ...(allowedIpAddresses !== undefined && { allowedIpAddresses }),
        },
      });
    const own = ['192.0.2.0/24'];
    const refused = { code: 'VALIDATION_FAILED' };
    await assert.rejects(ask(), refused);
    await assert.rejects(ask('2026-01-17T00:00:00Z', own), refused);
    await assert.rejects(ask('2026-01-16T11:00:00Z'), refused);
    await assert.rejects(ask('2026-01-16T11:00:00Z', ['0.0.0.0/0']), refused);
    await assert.rejects(ask('soon', own), refused);
    const made = await ask('2026-01-16T11:00:00Z', own);
    assert.match(made.key, /^admin/);
    const keys = await readAdminKeys(limited);
    assert.deepEqual(keys.map(({ name, state, isOwn }) => [name, state, isOwn]).toSorted(), [
      ['next', 'active', false],
      ['short', 'active', true],
    ]);
    assert.ok(!JSON.stringify(keys).includes(key));
    await takeAdminKeyBack(limited, { id: made.id });
    const [last] = keys.filter(({ name }) => name === 'short');
    await assert.rejects(takeAdminKeyBack(limited, { id: last?.id ?? '' }), { code: 'STATE_CONFLICT' });
    await assert.rejects(takeAdminKeyBack(limited, { id: 'unknown' }), { code: 'ENTITY_NOT_FOUND' });
  });

  it('rotates a signing key, sees the phases of each, and master keys by their fingerprints alone', async () => {
    const ctx = t.as(operator);
    const [before] = (await readSigningKeys(ctx)).filter(({ purpose }) => purpose === 'jwt');
    const after = (await rotateSigningKey(ctx, { purpose: 'jwt' })).filter(({ purpose }) => purpose === 'jwt');
    assert.deepEqual(
      after.map(({ state }) => state),
      ['signing', 'retired'],
    );
    assert.equal(after[1]?.keyId, before?.keyId);
    assert.ok((after[1]?.deletedTime ?? '') > (after[1]?.retiredTime ?? ''));
    const [master] = readMasterKeys(ctx);
    assert.deepEqual([master?.id, master?.state], ['test', 'current']);
    assert.match(master?.fingerprint ?? '', /^[0-9a-f]{16}$/);
  });

  it('sees how far a chain is followed and how its endpoints perform, the worst of all processes', async () => {
    const { system } = t.services.db;
    const now = t.services.clock();
    await sql`insert into followed_chains (chain, number, hash, followed_at)
      values ('evm:1', 90, '0x', ${new Date(now.getTime() - 300_000)})`.execute(system);
    for (const [id, errorRate, state] of [
      ['p-1', 0.1, 'closed'],
      ['p-2', 0.6, 'open'],
    ] as const) {
      const endpoint = { chain: 'evm:1', endpoint: 'endpoint 1', host: 'example.org', state, errorRate };
      await registerProcess(system, {
        ...t.services.process,
        id,
        logLevel: 'info',
        debugSettings: '',
        logVersion: 0,
        endpoints: [{ ...endpoint, ...(id === 'p-1' && { newestBlock: 100 }) }],
      });
    }
    const metrics = await readStateMetrics(system, []);
    const metricOf = (metric: string, label: string) =>
      metrics.find((one) => one.metric === metric && one.label === label)?.value;
    assert.deepEqual([metricOf('chain-block', 'evm:1'), metricOf('processes', t.services.process.serverType)], [90, 2]);
    assert.ok((metricOf('chain-behind', 'evm:1') ?? -1) >= 0);
    assert.equal(metricOf('oldest-held-change-set', ''), 0);
    const [chain] = await listChainStates(t.services);
    assert.deepEqual(
      [chain?.blocksBehind, chain?.secondsBehind, chain?.endpoints],
      [10, 300, [{ name: 'endpoint 1', host: 'example.org', isLeftAlone: true, errorRate: 0.6, newestBlock: 100 }]],
    );
    const health = await checkHealth(t.as(operator));
    assert.equal(health.state, 'failing');
    assert.match(health.checks.find(({ subject }) => subject === 'chains')?.summary ?? '', /^evm:1 was last followed/);
    await sql`delete from processes`.execute(system);
    assert.deepEqual((await listChainStates(t.services))[0]?.endpoints, []);
  });

  it('measures what should be held against what is held, and what is overdue or about to expire', async () => {
    const { system } = t.services.db;
    const metricsNow = async () => {
      const metrics = await readStateMetrics(system, ['test.late']);
      return (metric: string, label = '') => metrics.find((one) => one.metric === metric && one.label === label)?.value;
    };
    const none = await metricsNow();
    assert.deepEqual(
      [none('work-expected', 'discord-shard'), none('work-held', 'discord-shard')],
      [undefined, undefined],
    );
    assert.equal(none('schedule-overdue'), 0);
    await sql`insert into discord_gateways values ('now', 4, now()), ('replaced', 9, now() - interval '1 day')`.execute(
      system,
    );
    await sql`insert into leases (name, owner, token, until) values
      ('discord/now/shard/4/0', 'a', 1, now() + interval '1 hour'), ('discord/now/shard/4/1', 'a', 2, now()),
      ('discord/now/worker/a', 'a', 3, now() + interval '1 hour'), ('telegram/x', 'a', 4, now() + interval '1 hour')`.execute(
      system,
    );
    await sql`insert into schedules values
      ('test.late', '* * * * *', now() - interval '1 hour'), ('test.retired', '* * * * *', now() - interval '1 day')`.execute(
      system,
    );
    await sql`insert into admin_keys (id, name, key_hash, created_at, expires_at)
      values ('expiring', 'x', ${'ab'.repeat(32)}, now(), now() + interval '1 day')`.execute(system);
    const some = await metricsNow();
    assert.deepEqual([some('work-expected', 'discord-shard'), some('work-held', 'discord-shard')], [4, 1]);
    assert.equal(some('work-held', 'telegram'), 1);
    assert.equal(Math.round((some('schedule-overdue') ?? 0) / 3_600), 1);
    assert.equal(Math.round((some('key-expires') ?? 0) / 86_400), 1);
    await sql`delete from admin_keys where id = 'expiring'`.execute(system);
  });

  it('measures how old the last backup is, how late re-checks are, and how much of a budget is used', async () => {
    const { system } = t.services.db;
    const budget = (total: bigint) => ({ total, perCaller: total });
    const budgets = { 'evm:1': budget(200n), 'near:mainnet': budget(100n), 'evm:2': budget(0n) };
    const metricsNow = async () => {
      const metrics = await readStateMetrics(system, [], { spending: { spenders: [], budgets } });
      return (metric: string, label = '') => metrics.find((one) => one.metric === metric && one.label === label)?.value;
    };
    await sql`update migrations set applied_at = now() - interval '3 days'`.execute(system);
    const hours = (seconds: number | undefined) => Math.round((seconds ?? Number.NaN) / 3_600);
    const none = await metricsNow();
    assert.equal(hours(none('backup-age', 'backup')), 72, 'without a backup, since the installation');
    assert.deepEqual([hours(none('drill-age', 'sound')), none('drill-age', 'failed')], [72, undefined]);
    assert.equal(none('replicas'), 0, 'no replica is a known number');
    assert.ok((none('database-size') ?? 0) > 1_000_000);
    await sql`insert into drills (at, is_sound) values
      (now() - interval '30 hours', false), (now() - interval '6 hours', true)`.execute(system);
    const sound = await metricsNow();
    assert.deepEqual([hours(sound('drill-age', 'sound')), sound('drill-age', 'failed')], [6, undefined]);
    await sql`insert into drills (at, is_sound) values (now() - interval '1 hour', false)`.execute(system);
    const failed = await metricsNow();
    assert.deepEqual([hours(failed('drill-age', 'sound')), hours(failed('drill-age', 'failed'))], [6, 1]);
    await sql`insert into backups (created_at, bytes) values (now() - interval '5 hours', 1), (now() - interval '2 hours', 1)`.execute(
      system,
    );
    await sql`update communities set next_check_at = now() - interval '4 hours' where id = ${communityId}`.execute(
      system,
    );
    await sql`insert into spendings (coin, reference, caller_id, amount, created_at) values
      ('evm:1', 'a', 'x', 100, now()), ('evm:1', 'b', 'x', 50, now()), ('evm:1', 'c', 'x', 1000, now() - interval '2 days')`.execute(
      system,
    );
    await sql`insert into near_index_cursor (network, height, hash, reached_at)
      values ('localnet', 7, 'x', now() - interval '1 hour')`.execute(system);
    const some = await metricsNow();
    assert.equal(hours(some('backup-age', 'backup')), 2);
    assert.deepEqual([hours(some('recheck-overdue')), some('rechecks-overdue')], [4, 1]);
    assert.deepEqual(
      ['evm:1', 'near:mainnet', 'evm:2'].map((coin) => some('budget-used', coin)),
      [0.75, 0, 1],
    );
    assert.deepEqual([some('chain-block', 'near:localnet'), hours(some('chain-behind', 'near:localnet'))], [7, 1]);
    await sql`delete from spendings where reference in ('a', 'b', 'c')`.execute(system);
    await sql`delete from near_index_cursor where network = 'localnet'`.execute(system);
    await sql`delete from drills`.execute(system);
    await sql`update communities set next_check_at = now() + interval '1 day' where id = ${communityId}`.execute(
      system,
    );
  });

  it('is warned of dangerous settings and undelivered mail; what cannot be checked is unknown and blocks nothing', async () => {
    const installation = {
      ...t.services.installation,
      mail: 'none' as const,
      settings: [{ name: 'A', meaning: 'A.', value: '1', isMasked: false, isSet: true, warning: 'Bad.' }],
    };
    const broken = { ...t.services.db, transaction: async () => Promise.reject(new Error('down')) };
    const { checks } = await checkHealth({ ...t.as(operator), installation, db: broken });
    const states = Object.fromEntries(checks.map(({ subject, state }) => [subject, state]));
    assert.deepEqual(
      [states.settings, states.mails, states.database, states.platforms],
      ['attention', 'attention', 'unknown', 'ok'],
    );
    for (const { state, advice } of checks) if (state !== 'ok') assert.ok(advice);
  });

  it('sees what was spent and the remaining budget', async () => {
    const { budgets, registry } = await getSpending(t.as(operator));
    assert.deepEqual(budgets.map(({ coin }) => coin).toSorted(), ['evm:31337', 'evm:31337/wallets', 'near:localnet']);
    assert.equal(registry, undefined);
  });
});
