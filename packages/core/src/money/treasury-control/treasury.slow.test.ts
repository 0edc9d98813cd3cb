import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createSafes, evmWallets } from '@latchkey/chains';
import { startWorker, type Worker } from '@latchkey/db';
import type { Actor } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import {
  type DevChain,
  deploySafeContracts,
  devChain,
  devTransport,
  sampleCoinAbi,
  startDevChain,
} from '@latchkey/twins/evm-chain';
import { Secret, TOTP } from 'otpauth';
import { type Address, createWalletClient, getAddress, publicActions } from 'viem';
import { putAdmin } from '../../communities/communities/admin-queries.ts';
import { createCommunityWallet, getCommunityWallet } from '../../communities/communities/create-wallet.ts';
import { newCommunity } from '../../communities/communities/testing.ts';
import { ownerKeyPlace } from '../../communities/communities/wallet.ts';
import { contextFor } from '../../context.ts';
import { ensureSigningKeys } from '../../developers/signing-keys/index.ts';
import { type TestSigner, testSigner } from '../../machinery/signer/testing.ts';
import { generateTotpQrCode } from '../../people/totp/enrol.ts';
import { totpSealed, verifyTotp } from '../../people/totp/index.ts';
import { type Safes, SafesUnavailable } from '../../ports/index.ts';
import { mallory, patienceMs, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { payerAddress, saltNonceOf, treasuryJobs } from '../treasuries/index.ts';
import { confirmAction, sendAction } from '../treasuries/send.ts';
import { treasuryOwner, treasuryReader } from './access.ts';
import { approveTreasuryAction } from './approve.ts';
import { deployTreasury } from './deploy.ts';
import { proposeHandOver } from './hand-over.ts';
import { getTreasuryByAddress, listTreasuryActions } from './reads.ts';
import { proposeTransfer } from './transfer.ts';

const refused = (code: string, message?: RegExp) => ({ code, ...(message && { message }) });
type User = Actor & { kind: 'user' };

describe('wallets of communities', () => {
  let t: TestPlatform;
  let chain: DevChain;
  let signer: TestSigner;
  let worker: Worker;
  let client: ReturnType<typeof clientOf>;
  const clientOf = ({ url, chainId }: DevChain) =>
    createWalletClient({ chain: devChain(url, chainId), transport: devTransport(url) }).extend(publicActions);
  /** What goes wrong between this server and the chain. */
  const faults = { isDown: false, losesAnswer: false };

  before(async () => {
    [t, chain] = await Promise.all([testPlatform('treasury'), startDevChain()]);
    client = clientOf(chain);
    await ensureSigningKeys(t.services);
    t.services.evmWallets = evmWallets;
    t.services.safes = withFaults(createSafes({ urls: [chain.url], chainId: chain.chainId, timeoutMs: patienceMs }));
    t.services.wallets = {
      evm: {
        ...t.services.wallets.evm,
        normalizeAddress: (address) => (/^0x[0-9a-fA-F]{40}$/.test(address) ? getAddress(address) : undefined),
      },
    };
    const hostedWallets = { stepUpRestSeconds: 0, signerPatienceMs: patienceMs };
    t.services.settings = { ...t.services.settings, hostedWallets };
    await deploySafeContracts(chain, await payerAddress(t.services));
    signer = await testSigner(t);
    signer.start();
    worker = startSender();
  });
  after(async () => {
    await worker?.stop(1000);
    await signer?.close();
    await t?.close();
    await chain?.stop();
  });

  function withFaults(safes: Safes): Safes {
    const down = () => {
      if (faults.isDown) throw new SafesUnavailable('The chain is down.');
    };
    return {
      ...safes,
      readState: async (safe) => {
        down();
        return safes.readState(safe);
      },
      send: async (transaction) => {
        down();
        await safes.send(transaction);
        if (!faults.losesAnswer) return;
        faults.losesAnswer = false;
        throw new SafesUnavailable('The connection was lost.');
      },
    };
  }

  const rich = () => getAddress(chain.accounts[0]?.address ?? '');
  const pay = (to: string, value: bigint) => client.sendTransaction({ account: rich(), to: getAddress(to), value });
  let receivers = 0;
  const newReceiver = (): Address => getAddress(`0x${(0xc0ffee + receivers++).toString(16).padStart(40, '0')}`);
  const balanceOf = (address: string) => client.getBalance({ address: getAddress(address) });

  /** A community with a wallet that holds 1000, whose owner has an authenticator app. */
  async function newTreasury(held = 1000n) {
    const { owner, id } = await newCommunity(t);
    const { address } = await createCommunityWallet(t.as(owner), { communityId: id });
    if (held > 0n) await pay(address, held);
    const person = await equip(owner);
    const send = (to: string, amount: bigint) =>
      proposeTransfer(t.as(owner), { address, body: { to, amount: String(amount) } });
    const approve = async (actionId: string, otp?: string) =>
      approveTreasuryAction(t.as(owner), { address, actionId, body: { otp: otp ?? (await person.code()) } });
    const end = (actionId: string) =>
      until('the action is over', async () => {
        const action = (await history()).find(({ id: known }) => known === actionId);
        return action?.state === 'done' || action?.state === 'failed' ? action : undefined;
      });
    const history = async () => (await listTreasuryActions(t.as(owner), { address })).items;
    const view = () => getTreasuryByAddress(t.as(owner), { address });
    return { owner, id, address, person, send, approve, end, history, view };
  }

  /** Gives a person an authenticator app. Each code works once, so time goes on with each. */
  async function equip({ userId, ...actor }: User) {
    await generateTotpQrCode(t.as({ userId, ...actor }), { requestId: 'phone' });
    const row = await t.services.db.system
      .selectFrom('totp_enrolments')
      .select('secret')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    const plain = t.services.keyring.open(totpSealed[0]?.placeOf(userId, 'phone') ?? '', row.secret ?? '');
    const secret = new Secret({ buffer: new Uint8Array(plain).buffer });
    const code = async () => {
      t.advanceSeconds(30);
      return TOTP.generate({ secret, timestamp: t.services.clock().getTime() });
    };
    await verifyTotp(t.services, userId, await code());
    return { code };
  }

  const admits = (access: typeof treasuryOwner, actor: Actor, address: string) =>
    access.object?.admits(t.as(actor), address);

  test('a transfer deploys the wallet with its first use, moves what was approved, and stands in the history', async () => {
    const wallet = await newTreasury();
    const before = await wallet.view();
    assert.deepEqual(
      [before.status, before.balance, before.control, before.txHash],
      ['COUNTERFACTUAL', '1000', 'server', undefined],
    );
    const to = newReceiver();
    const proposed = await wallet.send(to, 400n);
    assert.equal(proposed.state, 'proposed');
    assert.match(proposed.approval?.summary.join('\n') ?? '', new RegExp(`400.*\nTo: ${to}`));
    assert.equal(await balanceOf(to), 0n);
    assert.equal((await wallet.approve(proposed.id)).state, 'waiting');
    const done = await wallet.end(proposed.id);
    assert.deepEqual([done.state, done.problem, await balanceOf(to)], ['done', undefined, 400n]);
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
    const wallet = await newTreasury(0n);
    const asked = await Promise.all([1, 2, 3].map(() => deployTreasury(t.as(wallet.owner), wallet)));
    const ids = new Set(asked.map(({ id }) => id));
    assert.equal(ids.size, 1);
    for (const id of ids) assert.equal((await wallet.end(id)).state, 'done');
    assert.equal((await wallet.view()).status, 'DEPLOYED');
    await assert.rejects(deployTreasury(t.as(wallet.owner), wallet), refused('STATE_CONFLICT'));
  });

  test('tokens move too', async () => {
    const wallet = await newTreasury(0n);
    const token = chain.contracts.erc20;
    const coin = { address: token, abi: sampleCoinAbi } as const;
    const args = [getAddress(wallet.address), 7n] as const;
    await client.writeContract({ ...coin, account: rich(), chain: null, functionName: 'mint', args });
    const to = newReceiver();
    const body = { to, token, amount: '7' };
    const { id } = await proposeTransfer(t.as(wallet.owner), { address: wallet.address, body });
    await wallet.approve(id);
    assert.equal((await wallet.end(id)).state, 'done');
    assert.equal(await client.readContract({ ...coin, functionName: 'balanceOf', args: [to] }), 7n);
    await assert.rejects(
      proposeTransfer(t.as(wallet.owner), { address: wallet.address, body }),
      refused('STATE_CONFLICT', /would fail/),
    );
  });

  test('nothing moves without a proof for exactly this, in time, and once', async () => {
    const wallet = await newTreasury();
    const to = newReceiver();
    const [one, other] = [await wallet.send(to, 1n), await wallet.send(to, 2n)];
    await assert.rejects(wallet.approve(one.id, '000000'), refused('INVALID_OTP'));
    await assert.rejects(wallet.approve(one.id, 'no-such-slug'), refused('INVALID_OTP'));
    const stranger = { address: wallet.address, actionId: one.id, body: { otp: await wallet.person.code() } };
    await assert.rejects(approveTreasuryAction(t.as(mallory), stranger), refused('ENTITY_NOT_FOUND'));
    const elsewhere = { ...stranger, address: (await newTreasury(0n)).address };
    await assert.rejects(approveTreasuryAction(t.as(wallet.owner), elsewhere), refused('ENTITY_NOT_FOUND'));
    await wallet.approve(one.id);
    await assert.rejects(wallet.approve(one.id), refused('STATE_CONFLICT'));
    await assert.rejects(wallet.approve(other.id), refused('STATE_CONFLICT'));
    await wallet.end(one.id);
    await assert.rejects(wallet.approve(other.id), refused('STATE_CONFLICT', /Propose it again/));
    const late = await wallet.send(to, 3n);
    t.advanceSeconds(5 * 60);
    await assert.rejects(wallet.approve(late.id), refused('STATE_CONFLICT', /time/));
    assert.equal(await balanceOf(to), 1n);
  });

  test('what cannot be meant is refused', async () => {
    const wallet = await newTreasury();
    const propose = (body: Parameters<typeof proposeTransfer>[1]['body']) =>
      proposeTransfer(t.as(wallet.owner), { address: wallet.address, body });
    const [to, token] = [newReceiver(), chain.contracts.erc20];
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
    const { owner, address, id } = await newTreasury(0n);
    const admin: User = { ...owner, userId: 'DIS#USER#4711' };
    await t.services.db.transaction('system', (tx) =>
      putAdmin(tx, id, admin.userId, { namedBy: owner.userId }, t.services.clock()),
    );
    const uses = await Promise.all([owner, admin, mallory].map((actor) => admits(treasuryOwner, actor, address)));
    assert.deepEqual(uses, [true, false, false]);
    const reads = await Promise.all([owner, admin, mallory].map((actor) => admits(treasuryReader, actor, address)));
    assert.deepEqual(reads, [true, true, false]);
    assert.equal(await admits(treasuryReader, owner, newReceiver()), false);
    assert.equal(await admits(treasuryReader, owner, address.toLowerCase()), true);
  });

  test('a sender that dies after each step sends nothing twice', async () => {
    const wallet = await newTreasury();
    const to = newReceiver();
    await worker.stop(patienceMs);
    const proposed = await wallet.send(to, 10n);
    await wallet.approve(proposed.id);
    const deployment = (await wallet.history()).find(({ kind }) => kind === 'deployment');
    for (const id of [deployment?.id ?? '', proposed.id]) {
      // The chain has taken it, and the sender never heard.
      faults.losesAnswer = true;
      await assert.rejects(sendAction(t.services, id), SafesUnavailable);
      const sentBefore = await sentBy(id);
      for (let again = 0; again < 3; again++) await sendAction(t.services, id);
      assert.deepEqual(await sentBy(id), sentBefore);
      assert.equal(sentBefore.length, 1);
    }
    assert.deepEqual([await balanceOf(to), await balanceOf(wallet.address)], [10n, 990n]);
    assert.deepEqual(
      (await wallet.history()).map(({ state }) => state),
      ['done', 'done'],
    );
    worker = startSender();
  });

  const sentBy = async (id: string) =>
    (
      await t.services.db.system
        .selectFrom('treasury_actions')
        .select('tx_hashes')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).tx_hashes;

  const startSender = () =>
    startWorker({
      db: t.services.db,
      patienceMs,
      kinds: treasuryJobs,
      log: t.services.log,
      random: t.services.random,
      makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
      validate: () => undefined,
    });

  test('a chain that is down refuses for now, and says nothing false of the wallet', async () => {
    const wallet = await newTreasury();
    faults.isDown = true;
    try {
      await assert.rejects(wallet.send(newReceiver(), 1n), refused('UNAVAILABLE'));
      await assert.rejects(deployTreasury(t.as(wallet.owner), wallet), refused('UNAVAILABLE'));
      const { status, balance } = await wallet.view();
      assert.deepEqual([status, balance], ['COUNTERFACTUAL', undefined]);
    } finally {
      faults.isDown = false;
    }
  });

  test('fees are paid within the operator’s budget, and a transfer says what it waits for', async () => {
    const wallet = await newTreasury();
    const { settings } = t.services;
    const to = newReceiver();
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
      // The next look at it is a minute away.
      await until('it is mined', () =>
        confirmAction(t.services, deployment.id, 1).then(
          () => true,
          () => undefined,
        ),
      );
      assert.equal((await wallet.end(id)).state, 'done');
      assert.equal(await balanceOf(to), 1n);
    } finally {
      t.services.settings = settings;
    }
  });

  test('it is handed over to a wallet that its owner has linked, and is theirs alone from then on', async () => {
    const wallet = await newTreasury();
    const newOwner = getAddress(chain.accounts[5]?.address ?? '');
    const propose = () => proposeHandOver(t.as(wallet.owner), { address: wallet.address, body: { newOwner } });
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
    await assert.rejects(wallet.send(newReceiver(), 1n), refused('STATE_CONFLICT', new RegExp(newOwner)));
  });

  test('a wallet whose key was sealed here before the signer kept keys can be used', async () => {
    const { owner, id } = await newCommunity(t);
    const key = evmWallets.createOwnerKey(t.services.random);
    const safe_address = evmWallets.safeAddress(key.address, saltNonceOf({ kind: 'community', id }), chain.chainId);
    const row = { owner_address: key.address, safe_address, chain_id: chain.chainId, created_at: t.services.clock() };
    const { system } = t.services.db;
    await system
      .insertInto('treasuries')
      .values({ ...row, kind: 'community', holder_id: id, handed_over_to: null })
      .execute();
    await system
      .insertInto('community_wallets')
      .values({
        ...row,
        community_id: id,
        created_by_id: owner.userId,
        owner_key: t.services.keyring.seal(ownerKeyPlace(id), key.privateKey),
      })
      .execute();
    await pay(safe_address, 5n);
    const [{ code }, to] = [await equip(owner), newReceiver()];
    const { id: actionId } = await proposeTransfer(t.as(owner), { address: safe_address, body: { to, amount: '5' } });
    await approveTreasuryAction(t.as(owner), { address: safe_address, actionId, body: { otp: await code() } });
    await until('it is there', async () => (await balanceOf(to)) === 5n);
  });
});
