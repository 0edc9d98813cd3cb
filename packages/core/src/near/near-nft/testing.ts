import { createHash } from 'node:crypto';
import { createNear } from '@latchkey/chains/near/ledger';
import { type NearChain, type NearTestAccount, startNearChain } from '@latchkey/emulators/near-chain';
import type { Actor } from '@latchkey/kernel';
import { Account, KeyPair, KeyPairSigner } from 'near-api-js';
import type { Near } from '../../ports/index.ts';
import { type Context, contextFor, type Services } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import type { NearToSign } from './to-sign.ts';

export const oneNear = 1_000_000_000_000_000_000_000_000n;
export const serverAccount = 'latchkey.near';

/** A platform on a real database that calls the NEAR emulator over real HTTP. */
export interface NearPlatform {
  t: TestPlatform;
  chain: NearChain;
  near: Near;
  services: Services;
  as(actor: Actor): Context;
  /** Acts as a wallet: signs what a verb requested and returns the header to send. */
  sign(account: NearTestAccount, toSign: readonly NearToSign[] | undefined): string;
  clientOf(account: NearTestAccount): Account;
  close(): Promise<void>;
}

export async function nearPlatform(seed: string): Promise<NearPlatform> {
  const t = await testPlatform(seed);
  const chain = await startNearChain({ seed });
  const server = chain.createAccount(serverAccount, 10_000n * oneNear);
  for (const [id, code] of [
    ['token-code.near', 'nep171'],
    ['market-code.near', 'market'],
  ] as const) {
    chain.createAccount(id);
    chain.deploy(id, code);
  }
  const near = await createNear({
    fetch,
    network: 'localnet',
    urls: [chain.url],
    timeoutMs: 120_000,
    account: { id: serverAccount, secretKey: server.secretKey },
    setup: {
      tokenCode: 'token-code.near',
      marketCode: 'market-code.near',
      defaultMarket: undefined,
      marketFeeBasisPoints: 250,
      contractYocto: 2n * oneNear,
      accountYocto: oneNear / 10n,
    },
  });
  const services: Services = { ...t.services, near };
  return {
    t,
    chain,
    near,
    services,
    as: (actor) => contextFor(services, actor),
    sign: ({ secretKey }, toSign) => {
      const key = KeyPair.fromString(secretKey as `ed25519:${string}`);
      const signatures = (toSign ?? []).map(({ transaction }) => {
        const digest = createHash('sha256').update(Buffer.from(transaction, 'base64')).digest();
        return Buffer.from(key.sign(digest).signature).toString('base64');
      });
      return signatures.join(',');
    },
    clientOf: ({ accountId, secretKey }) =>
      new Account(accountId, chain.url, KeyPairSigner.fromSecretKey(secretKey as `ed25519:${string}`)),
    close: async () => {
      await chain.stop();
      await t.close();
    },
  };
}
