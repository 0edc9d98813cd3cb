import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql, type Worker } from '@latchkey/db';
import { until } from '@latchkey/test-kit';
import { transferCommunity } from '../../communities/admins/index.ts';
import { putMembers } from '../../communities/memberships/index.ts';
import { countOpenRoleWork, listHoldersAt, reconcileUser } from '../../gating/role-changes/index.ts';
import { wakeDue } from '../../gating/role-changes/jobs.ts';
import { verifyAeToken } from '../../identity/credentials/index.ts';
import { unlinkWallet } from '../../linking/wallet-links/index.ts';
import { eraseAccount, erasures } from '../../modules.ts';
import { type TestSigner, testSigner } from '../../services/signer/testing.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import type { Erasure } from '../../shared/module.ts';
import { operator, type TestPlatform, testPlatform, testSignature } from '../../testing/index.ts';
import { exportData, inWire } from '../personal-data/export-data.ts';
import { eraseMe } from '../personal-data/index.ts';
import { createAccountEraser } from './erase-account.ts';
import { addWalletAddress, getAuthChallenge } from './operations.ts';
import { bystander, dumpDatabase, type Filled, fillAccount, ophelia, startWholeWorker, token } from './testing.ts';

/**
 * Tables in which the test account can be found by its identifiers; others refer to it only by hashes, encrypted values
 * or foreign keys.
 */
const filledTables = [
  'client_apps community_admins communities community_members community_wallets events followed_changes',
  'guest_pass_grants guest_passes idempotent_requests jobs log_setting_changes organization_otps organization_wallets',
  'organizations rate_windows read_holdings reddit_tokens role_checks role_ledger change_set_items change_sets slugs',
  'change_set_comments',
  'totp_enrolments totp_guards treasuries access_tokens wallet_challenges wallet_connections wallet_link_challenges',
  'wallet_pending_steps webauthn_challenges webauthn_credentials webauthn_users webhook_deliveries webhook_endpoints',
].flatMap((line) => line.split(' '));

describe('erasing an account', () => {
  let t: TestPlatform;
  let worker: Worker;
  let signer: TestSigner;
  let filled: Filled;
  before(async () => {
    t = await testPlatform('erasure');
    await ensureSigningKeys(t.services);
    Object.assign(t.services, { marketplaces: { opensea: { readProfile: async () => ({ kind: 'none' }) } } });
    signer = await testSigner(t);
    signer.start();
    worker = startWholeWorker(t);
    filled = await fillAccount(t, worker);
  });
  after(async () => {
    await worker.stop(1000);
    await signer.close();
    await t.close();
  });

  const found = async (): Promise<string[]> => {
    const dump = await dumpDatabase(t);
    return [...filled.needles].flatMap(([what, needle]) =>
      [...dump].flatMap(([table, text]) => (text.includes(needle.toLowerCase()) ? [`${what} in ${table}`] : [])),
    );
  };
  const rowOf = async (id: string) =>
    t.services.db.system
      .selectFrom('communities')
      .select(['owner_id', 'status'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const ledger = async () =>
    (
      await sql<{ user_id: string; role_id: string; action: string }>`
        select user_id, role_id, action from role_ledger order by id`.execute(t.services.db.system)
    ).rows;

  it('finds nothing of an unlinked wallet, though a role depended on it', async () => {
    const user: typeof bystander = { ...bystander, userId: 'DIS#USER#616161616161', name: 'Yorick' };
    const address = '0xd00d000000000000000000000000000000000d1e';
    const guildId = filled.guildOf(filled.joined);
    t.host.addMember(guildId, '616161616161');
    await putMembers(t.services.db.system, filled.joined, [{ userId: user.userId, roleIds: [] }], t.services.clock());
    t.holdings.set({ chain: 'evm:1', standard: 'erc20', reference: token, account: address }, '5');
    const { message = '' } = await getAuthChallenge(t.as(user));
    const signedMessage = testSignature(address, message);
    await addWalletAddress(t.as(user), { body: { address, message, signedMessage } });
    await worker.idle();
    assert.deepEqual(t.host.rolesOf(guildId, '616161616161'), ['gold']);
    const isFound = async () => [...(await dumpDatabase(t)).values()].some((text) => text.includes(address));
    assert.ok(await isFound());
    await unlinkWallet(t.as(user), address, reconcileUser);
    await worker.idle();
    assert.deepEqual(t.host.rolesOf(guildId, '616161616161'), []);
    assert.equal(await isFound(), false);
  });

  it('starts with an account that is found in most tables that could name it', async () => {
    const tables = new Set((await found()).map((line) => line.split(' in ')[1] ?? ''));
    assert.deepEqual(
      filledTables.filter((table) => !tables.has(table)),
      [],
    );
    // Two jobs grant the role of the wallets and that of the guest pass, in either order.
    const given = t.host.rolesOf(filled.guildOf(filled.joined), filled.nativeId);
    assert.deepEqual(given?.toSorted(), ['71000000000000000', 'gold']);
  });

  it('covers what an export shows before: every table by account id, without secrets or other people’s wallets', async () => {
    const { account, data, shortened } = await exportData(t.as(ophelia), erasures);
    assert.deepEqual([account, shortened], [ophelia.userId, []]);
    const byOtherNames =
      'followed_changes jobs rate_windows read_holdings treasuries wallet_challenges webauthn_challenges'.split(' ');
    assert.deepEqual(
      filledTables.filter((table) => !(inWire(table) in data) && !byOtherNames.includes(table)),
      [],
    );
    const text = JSON.stringify(data);
    for (const secret of [filled.aeToken, '"privateKey"', '"apiKeyHash"', '"clientSecret"'])
      assert.ok(!text.includes(secret), secret);
    const secrets = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where domain_name in ('hashed_secret', 'sealed_secret')`.execute(t.services.db.system);
    const shown = Object.entries(data).flatMap(([table, rows]) =>
      (rows as object[]).flatMap((row) => Object.keys(row).map((column) => `${table}.${column}`)),
    );
    assert.deepEqual(
      secrets.rows.filter(({ name }) => shown.includes(inWire(name))),
      [],
    );
    const others = await exportData(t.as(bystander), erasures);
    assert.ok(!JSON.stringify(others.data.walletConnections ?? []).includes(ophelia.userId));
  });

  it('is refused without a recent sign-in', async () => {
    await assert.rejects(eraseMe(t.as({ ...ophelia, presence: undefined } as typeof ophelia), eraseAccount), {
      code: 'PRESENCE_REQUIRED',
    });
  });

  it('leaves everything unchanged when any part fails, and can be retried', async () => {
    const failing: Erasure = {
      columns: [],
      stage: 'at-once',
      forget: async () => {
        throw new Error('The power is out.');
      },
    };
    const eraser = createAccountEraser([...erasures, failing]);
    const before = await dumpDatabase(t);
    await assert.rejects(eraser.eraseAccount(t.as(operator), ophelia.userId), /power is out/);
    assert.deepEqual(await dumpDatabase(t), before);
  });

  it('waits for roles to be removed, continues after a crash, and leaves a dump in which nothing is found', async () => {
    t.host.fail('Discord is down.');
    const presence = { how: 'passkey', at: t.services.clock() } as const;
    const begun = await eraseMe(t.as({ ...ophelia, presence } as typeof ophelia), eraseAccount);
    assert.equal(begun.state, 'waiting');
    await assert.rejects(verifyAeToken(t.services, filled.aeToken), { code: 'INVALID_CREDENTIAL' });
    // Jobs that have started fail and are postponed; only then can they be made due.
    await worker.idle();
    t.host.fail(undefined);
    const held = () => t.host.rolesOf(filled.guildOf(filled.joined), filled.nativeId);
    const isOpen = async () =>
      held()?.length !== 0 || (await countOpenRoleWork(t.services.db.system, ophelia.userId)).waiting > 0;
    // A try that started during the outage may be postponed after the queue was made due once, hence the loop. Work
    // whose writer ended in between is picked up by the scheduled job, as in a server.
    await until('all roles are removed', async () => {
      await sql`update reconcile_queue set due_at = null`.execute(t.services.db.system);
      await sql`update change_set_items set due_at = null`.execute(t.services.db.system);
      await sql`update jobs set state = 'ready', run_at = now() where state = 'delayed'`.execute(t.services.db.system);
      await wakeDue(t.services);
      await worker.idle();
      return !(await isOpen());
    });
    await worker.idle();
    assert.deepEqual(held(), [], 'the role of the wallets and that of the guest pass are removed');

    const crashing: Erasure = {
      columns: [],
      stage: 'once-settled',
      forget: async () => {
        throw new Error('The process was killed.');
      },
    };
    const killed = createAccountEraser([...erasures, crashing]);
    await assert.rejects(killed.finishErasures(t.as(operator)), /killed/);
    assert.notDeepEqual(await found(), []);

    const { finishErasures } = createAccountEraser(erasures);
    await finishErasures(t.as(operator));
    assert.deepEqual(await found(), []);
    assert.deepEqual(
      await eraseAccount(t.as(operator), ophelia.userId),
      { kind: 'erased' },
      'erasing it again does no harm',
    );
    assert.deepEqual(await found(), []);
  });

  it('keeps the ledger under a pseudonym, and prevents any other change to it', async () => {
    const entries = (await ledger()).filter(
      ({ role_id, user_id }) => role_id === 'gold' && !user_id.startsWith('DIS#'),
    );
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['grant', 'revoke'],
    );
    const [name] = new Set(entries.map((entry) => entry.user_id));
    assert.match(name ?? '', /^ERASED#USER#[A-Za-z0-9]{16,}$/);
    for (const change of ["user_id = 'DIS#USER#1'", "action = 'grant'", "user_id = 'ERASED#USER#x'"])
      await assert.rejects(
        sql.raw(`update role_ledger set ${change}`).execute(t.services.db.system),
        /only ever added/,
      );
    const now = t.services.clock();
    const holders = await listHoldersAt(t.as(bystander), { communityId: filled.joined, roleId: 'gold', at: now });
    assert.deepEqual(holders.items, []);
  });

  it('transfers communities to their next admin, pauses those without one, and the operator can transfer them', async () => {
    assert.deepEqual(await rowOf(filled.shared), { owner_id: bystander.userId, status: 'active' });
    assert.deepEqual(await rowOf(filled.alone), { owner_id: '$admin', status: 'paused' });
    await transferCommunity(t.as(operator), { id: filled.alone, userId: bystander.userId });
    assert.deepEqual(await rowOf(filled.alone), { owner_id: bystander.userId, status: 'paused' });
    await assert.rejects(transferCommunity(t.as(operator), { id: 'none', userId: bystander.userId }), {
      code: 'ENTITY_NOT_FOUND',
    });
    await assert.rejects(transferCommunity(t.as(operator), { id: filled.alone, userId: '$admin' }), {
      code: 'INVALID_PARAMETER_VALUE',
    });
  });

  it('leaves other accounts unchanged', async () => {
    const dump = [...(await dumpDatabase(t)).values()].join('\n');
    assert.ok(dump.includes(bystander.userId.toLowerCase()));
    assert.deepEqual(t.host.rolesOf(filled.guildOf(filled.shared), '515151515151'), ['71000000000000000']);
  });
});
