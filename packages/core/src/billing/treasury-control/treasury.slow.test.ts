import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { offchainLookupContract, startGateway } from '@latchkey/chains/testing';
import { sampleCoinAbi } from '@latchkey/emulators/evm-chain';
import type { Actor } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { getAddress } from 'viem';
import { putAdmin } from '../../communities/access/admin-queries.ts';
import { getCommunityWallet } from '../../communities/community/wallet.ts';
import { SafesUnavailable } from '../../ports/index.ts';
import { confirmAction, sendAction } from '../../services/treasuries/jobs.ts';
import { mallory, type TestPlatform } from '../../testing/index.ts';
import { approveTreasuryAction } from './approve.ts';
import {
  deployTreasury,
  getTreasuryByAddress,
  proposeHandoff,
  proposeTransfer,
  treasuryOwner,
  treasuryReader,
} from './operations.ts';
import { startTreasuryWorld, type TreasuryUser, type TreasuryWorld } from './testing.ts';

const refused = (code: string, message?: RegExp) => ({ code, ...(message && { message }) });

describe('wallets of communities', () => {
  let world: TreasuryWorld;
  let t: TestPlatform;
  before(async () => {
    world = await startTreasuryWorld();
    t = world.t;
  });
  after(() => world?.stop());

  const admits = (access: typeof treasuryOwner, actor: Actor, address: string) =>
    access.object?.admits(t.as(actor), address);

  test('a transfer deploys the wallet on first use, moves the approved amount, and is in the history', async () => {
    const wallet = await world.newTreasury();
    const before = await wallet.view();
    assert.deepEqual(
      [before.status, before.balance, before.control, before.txHash],
      ['COUNTERFACTUAL', '1000', 'server', undefined],
    );
    const to = world.newReceiver();
    const proposed = await wallet.send(to, 400n);
    assert.equal(proposed.state, 'proposed');
    assert.match(proposed.approval?.summary.join('\n') ?? '', new RegExp(`: 0.0000000000000004 .*400.*\nTo: ${to}`));
    assert.equal(await world.balanceOf(to), 0n);
    assert.equal((await wallet.approve(proposed.id)).state, 'waiting');
    const done = await wallet.end(proposed.id);
    assert.deepEqual([done.state, done.problem, await world.balanceOf(to)], ['done', undefined, 400n]);
    const after = await wallet.view();
    assert.deepEqual([after.status, after.balance], ['DEPLOYED', '600']);
    const kinds = (await wallet.history()).map(({ kind, state, txHash }) => [kind, state, txHash !== undefined]);
    assert.deepEqual(kinds.sort(), [
      ['deployment', 'done', true],
      ['transfer', 'done', true],
    ]);
    const published = await getCommunityWallet(t.as(wallet.owner), { communityId: wallet.id });
    assert.deepEqual([published.status, published.txHash, published.clTokenBalance], ['DEPLOYED', after.txHash, '600']);
    const spent = await t.services.db.system.selectFrom('spendings').selectAll().execute();
    assert.equal(spent.filter(({ caller_id }) => caller_id === wallet.owner.userId).length, 2);
  });

  test('it is deployed when its owner asks, once', async () => {
    const wallet = await world.newTreasury(0n);
    const requested = await Promise.allSettled([1, 2, 3].map(() => deployTreasury(t.as(wallet.owner), wallet)));
    const ids = new Set(requested.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : [])));
    // On a slow machine the deployment may be done before the last request, which is then refused.
    for (const one of requested) if (one.status === 'rejected') assert.equal(one.reason.code, 'STATE_CONFLICT');
    assert.equal(ids.size, 1);
    for (const id of ids) assert.equal((await wallet.end(id)).state, 'done');
    assert.equal((await wallet.view()).status, 'DEPLOYED');
    await assert.rejects(deployTreasury(t.as(wallet.owner), wallet), refused('STATE_CONFLICT'));
  });

  test('a token contract cannot make this server call a URL by reverting with OffchainLookup', async () => {
    const gateway = await startGateway();
    const wallet = await world.newTreasury();
    const token = getAddress('0x2222222222222222222222222222222222222222');
    const code = offchainLookupContract(token, [gateway.url]);
    await world.client.request({ method: 'hardhat_setCode', params: [token, code] } as never);
    const body = { to: world.newReceiver(), token, amount: '1' };
    try {
      const proposed = proposeTransfer(t.as(wallet.owner), { address: wallet.address, body });
      await assert.rejects(proposed, refused('STATE_CONFLICT', /would fail/));
      assert.deepEqual(gateway.requests, []);
    } finally {
      await gateway.stop();
    }
  });

  test('tokens move too', async () => {
    const wallet = await world.newTreasury(0n);
    const token = world.chain.contracts.erc20;
    const coin = { address: token, abi: sampleCoinAbi } as const;
    const args = [getAddress(wallet.address), 7n] as const;
    await world.client.writeContract({ ...coin, account: world.rich(), chain: null, functionName: 'mint', args });
    const to = world.newReceiver();
    const body = { to, token, amount: '7' };
    const { id } = await proposeTransfer(t.as(wallet.owner), { address: wallet.address, body });
    await wallet.approve(id);
    assert.equal((await wallet.end(id)).state, 'done');
    assert.equal(await world.client.readContract({ ...coin, functionName: 'balanceOf', args: [to] }), 7n);
    await assert.rejects(
      proposeTransfer(t.as(wallet.owner), { address: wallet.address, body }),
      refused('STATE_CONFLICT', /would fail/),
    );
  });

  test('nothing moves without a proof for exactly this transfer, in time, and once', async () => {
    const wallet = await world.newTreasury();
    const to = world.newReceiver();
    const [one, other] = [await wallet.send(to, 1n), await wallet.send(to, 2n)];
    await assert.rejects(wallet.approve(one.id, '000000'), refused('INVALID_OTP'));
    await assert.rejects(wallet.approve(one.id, 'no-such-slug'), refused('INVALID_OTP'));
    const stranger = { address: wallet.address, actionId: one.id, body: { otp: await wallet.person.code() } };
    await assert.rejects(approveTreasuryAction(t.as(mallory), stranger), refused('ENTITY_NOT_FOUND'));
    const elsewhere = { ...stranger, address: (await world.newTreasury(0n)).address };
    await assert.rejects(approveTreasuryAction(t.as(wallet.owner), elsewhere), refused('ENTITY_NOT_FOUND'));
    await wallet.approve(one.id);
    await assert.rejects(wallet.approve(one.id), refused('STATE_CONFLICT'));
    await assert.rejects(wallet.approve(other.id), refused('STATE_CONFLICT'));
    await wallet.end(one.id);
    await assert.rejects(wallet.approve(other.id), refused('STATE_CONFLICT', /Propose it again/));
    const late = await wallet.send(to, 3n);
    t.advanceSeconds(5 * 60);
    await assert.rejects(wallet.approve(late.id), refused('STATE_CONFLICT', /expired/));
    assert.ok(
      !(await wallet.history()).some(({ id }) => id === late.id),
      'what was not approved is not in the history',
    );
    assert.equal(await world.balanceOf(to), 1n);
  });

  test('transfers that make no sense are refused', async () => {
    const wallet = await world.newTreasury();
    const propose = (body: Parameters<typeof proposeTransfer>[1]['body']) =>
      proposeTransfer(t.as(wallet.owner), { address: wallet.address, body });
    const [to, token] = [world.newReceiver(), world.chain.contracts.erc20];
    const malformed = [
      { to },
      { to, amount: '0' },
      { to, amount: String(2n ** 256n) },
      { to: wallet.address, amount: '1' },
      { to: `0x${'0'.repeat(40)}`, amount: '1' },
      { to, amount: '1', token, standard: 'coin' },
      { to, amount: '1', standard: 'erc20' },
      { to, token, standard: 'erc721' },
      { to, token, tokenId: '1', amount: '1', standard: 'erc721' },
    ] as const;
    for (const body of malformed)
      await assert.rejects(propose(body), refused('VALIDATION_FAILED'), JSON.stringify(body));
    await assert.rejects(propose({ to, amount: '1001' }), refused('STATE_CONFLICT', /holds 1000/));
  });

  test('its community’s admins see it, its owner alone uses it, and to strangers it does not exist', async () => {
    const { owner, address, id } = await world.newTreasury(0n);
    const admin: TreasuryUser = { ...owner, userId: 'DIS#USER#4711' };
    await t.services.db.transaction('system', (tx) =>
      putAdmin(tx, id, admin.userId, { namedBy: owner.userId }, t.services.clock()),
    );
    const uses = await Promise.all([owner, admin, mallory].map((actor) => admits(treasuryOwner, actor, address)));
    assert.deepEqual(uses, [true, false, false]);
    const reads = await Promise.all([owner, admin, mallory].map((actor) => admits(treasuryReader, actor, address)));
    assert.deepEqual(reads, [true, true, false]);
    const shown = await Promise.all([owner, admin].map((actor) => getTreasuryByAddress(t.as(actor), { address })));
    assert.deepEqual(
      shown.map(({ isYours, chainName }) => [isYours, chainName]),
      [
        [true, 'Local test chain'],
        [false, 'Local test chain'],
      ],
    );
    assert.equal(await admits(treasuryReader, owner, world.newReceiver()), false);
    assert.equal(await admits(treasuryReader, owner, address.toLowerCase()), true);
  });

  test('a sender that dies after any step sends nothing twice', async () => {
    const wallet = await world.newTreasury();
    const to = world.newReceiver();
    await world.stopSender();
    const proposed = await wallet.send(to, 10n);
    await wallet.approve(proposed.id);
    const deployment = (await wallet.history()).find(({ kind }) => kind === 'deployment');
    for (const id of [deployment?.id ?? '', proposed.id]) {
      // The chain accepted it, but the sender got no response.
      world.faults.losesAnswer = true;
      await assert.rejects(sendAction(t.services, id), SafesUnavailable);
      const sentBefore = await world.sentBy(id);
      for (let again = 0; again < 3; again++) await sendAction(t.services, id);
      assert.deepEqual(await world.sentBy(id), sentBefore);
      assert.equal(sentBefore.length, 1);
    }
    assert.deepEqual([await world.balanceOf(to), await world.balanceOf(wallet.address)], [10n, 990n]);
    assert.deepEqual(
      (await wallet.history()).map(({ state }) => state),
      ['done', 'done'],
    );
    world.startSender();
  });

  test('while the chain is down, requests are refused and no false status is shown', async () => {
    const wallet = await world.newTreasury();
    world.faults.isDown = true;
    try {
      await assert.rejects(wallet.send(world.newReceiver(), 1n), refused('UNAVAILABLE'));
      await assert.rejects(deployTreasury(t.as(wallet.owner), wallet), refused('UNAVAILABLE'));
      const { status, balance } = await wallet.view();
      assert.deepEqual([status, balance], ['COUNTERFACTUAL', undefined]);
    } finally {
      world.faults.isDown = false;
    }
  });

  test('fees are paid within the operator’s budget, and a transfer shows what it waits for', async () => {
    const wallet = await world.newTreasury();
    const { settings } = t.services;
    const to = world.newReceiver();
    const withBudget = (perCaller: bigint) => ({
      ...settings,
      spending: { spenders: ['people'], budgets: { 'evm:31337/wallets': { total: 10n ** 20n, perCaller } } },
    });
    const { spending: _, ...none } = settings;
    await assert.rejects(
      proposeTransfer(
        { ...t.as(wallet.owner), settings: none },
        { address: wallet.address, body: { to, amount: '1' } },
      ),
      refused('ROLE_NOT_ALLOWED', /LATCHKEY_WALLET_SPEND_PER_DAY/),
    );
    t.services.settings = withBudget(5n);
    try {
      const { id } = await wallet.send(to, 1n);
      await wallet.approve(id);
      const deployment = await until('the deployment waits', async () =>
        (await wallet.history()).find(({ kind, problem }) => kind === 'deployment' && problem !== undefined),
      );
      assert.deepEqual([deployment.state, (await wallet.view()).status], ['waiting', 'DEPLOYING']);
      assert.match(deployment.problem ?? '', /used up/);
      t.services.settings = settings;
      await sendAction(t.services, deployment.id);
      // The next scheduled check is a minute away.
      await until('it is mined', () =>
        confirmAction(t.services, deployment.id, 1).then(
          () => true,
          () => undefined,
        ),
      );
      assert.equal((await wallet.end(id)).state, 'done');
      assert.equal(await world.balanceOf(to), 1n);
    } finally {
      t.services.settings = settings;
    }
  });

  test('it is handed over to a linked wallet of its owner, and is theirs alone from then on', async () => {
    const wallet = await world.newTreasury();
    const newOwner = getAddress(world.chain.accounts[5]?.address ?? '');
    const propose = () => proposeHandoff(t.as(wallet.owner), { address: wallet.address, body: { newOwner } });
    await assert.rejects(propose(), refused('VALIDATION_FAILED', /Link this wallet/));
    await t.services.db.system
      .insertInto('wallet_connections')
      .values({
        id: `linked-${wallet.id}`,
        user_id: wallet.owner.userId,
        platform: 'discord',
        user_name: null,
        namespace: 'evm',
        address: newOwner,
        created_at: t.services.clock(),
      })
      .execute();
    const { id, approval } = await propose();
    assert.match(approval?.warnings.join() ?? '', /cannot undo/);
    await wallet.approve(id);
    assert.equal((await wallet.end(id)).state, 'done');
    const { control, ownerAddress } = await wallet.view();
    assert.deepEqual([control, ownerAddress], ['own-wallet', newOwner]);
    await assert.rejects(wallet.send(world.newReceiver(), 1n), refused('STATE_CONFLICT', new RegExp(newOwner)));
  });
});
