import { evmWallets } from '@latchkey/chains';
import { createSafes } from '@latchkey/chains/evm-safes';
import { startWorker } from '@latchkey/db';
import { deploySafeContracts, devChain, devTransport, startDevChain } from '@latchkey/emulators/evm-chain';
import type { Actor } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { Secret, TOTP } from 'otpauth';
import { type Address, createWalletClient, getAddress, publicActions } from 'viem';
import { newCommunity } from '../../communities/community/testing.ts';
import { createCommunityWallet } from '../../communities/community/wallet.ts';
import { totpSealed, verifyTotp } from '../../identity/totp/index.ts';
import { generateTotpQrCode } from '../../identity/totp/operations.ts';
import { type Safes, SafesUnavailable } from '../../ports/index.ts';
import { testSigner } from '../../services/signer/testing.ts';
import { ensureSigningKeys } from '../../services/signing-keys/index.ts';
import { payerAddress, treasuryJobs } from '../../services/treasuries/index.ts';
import { contextFor } from '../../shared/context.ts';
import { patienceMs, testPlatform } from '../../testing/index.ts';
import { approveTreasuryAction } from './approve.ts';
import { getTreasuryByAddress, listTreasuryActions, proposeTransfer } from './operations.ts';

export type TreasuryUser = Actor & { kind: 'user' };
export type TreasuryWorld = Awaited<ReturnType<typeof startTreasuryWorld>>;

/** A platform with a signer, a development chain with the contracts of Safe, and a worker that sends. */
export async function startTreasuryWorld() {
  const [t, chain] = await Promise.all([testPlatform('treasury'), startDevChain()]);
  const transport = devTransport(chain.url);
  const client = createWalletClient({ chain: devChain(chain.url, chain.chainId), transport }).extend(publicActions);
  /** Faults between this server and the chain. */
  const faults = { isDown: false, losesAnswer: false };
  await ensureSigningKeys(t.services);
  t.services.evmWallets = evmWallets;
  t.services.safes = withFaults(
    createSafes({ fetch, urls: [chain.url], chainId: chain.chainId, timeoutMs: patienceMs }),
    faults,
  );
  t.services.wallets = {
    evm: {
      ...t.services.wallets.evm,
      normalizeAddress: (address) => (/^0x[0-9a-fA-F]{40}$/.test(address) ? getAddress(address) : undefined),
    },
  };
  const hostedWallets = { stepUpRestSeconds: 0, signerPatienceMs: patienceMs };
  t.services.settings = { ...t.services.settings, hostedWallets };
  await deploySafeContracts(chain, await payerAddress(t.services));
  const signer = await testSigner(t);
  signer.start();
  const newSender = () =>
    startWorker({
      db: t.services.db,
      patienceMs,
      kinds: treasuryJobs,
      log: t.services.log,
      random: t.services.random,
      makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
      validate: () => undefined,
    });
  let sender = newSender();

  const rich = () => getAddress(chain.accounts[0]?.address ?? '');
  const pay = (to: string, value: bigint) => client.sendTransaction({ account: rich(), to: getAddress(to), value });
  let receivers = 0;
  const newReceiver = (): Address => getAddress(`0x${(0xc0ffee + receivers++).toString(16).padStart(40, '0')}`);
  const balanceOf = (address: string) => client.getBalance({ address: getAddress(address) });

  /** Creates a community with a wallet that holds 1000, whose owner has an authenticator app. */
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

  /** Gives a user an authenticator app. Each code works once, so the clock advances with each. */
  async function equip({ userId, ...actor }: TreasuryUser) {
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

  /** Returns the transactions that were sent for an action. */
  const sentBy = async (id: string) =>
    (
      await t.services.db.system
        .selectFrom('treasury_actions')
        .select('tx_hashes')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).tx_hashes;

  return {
    t,
    chain,
    client,
    faults,
    rich,
    pay,
    newReceiver,
    balanceOf,
    newTreasury,
    equip,
    sentBy,
    stopSender: () => sender.stop(patienceMs),
    startSender: () => {
      sender = newSender();
    },
    stop: async () => {
      await sender.stop(1000);
      await signer.close();
      await t.close();
      await chain.stop();
    },
  };
}

function withFaults(safes: Safes, faults: { isDown: boolean; losesAnswer: boolean }): Safes {
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
