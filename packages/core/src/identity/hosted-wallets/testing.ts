import { createHash } from 'node:crypto';
import { startWorker, type Worker } from '@latchkey/db';
import { RegistryUnavailable, type WalletRegistry } from '../../ports/index.ts';
import { contextFor } from '../../shared/context.ts';
import { patienceMs, type TestPlatform } from '../../testing/index.ts';
import { hostedWalletJobs } from './jobs.ts';

/** A registry in memory, which can be down, and can lose the response to a transaction. */
export interface MemoryRegistry extends WalletRegistry {
  claims: Map<string, { ownerHash: string; txHash: string }>;
  sent: string[];
  isDown: boolean;
  /** The next transaction takes effect, and its sender gets no response. */
  losesAnswer: boolean;
  /** Sent transactions wait until this is false again. */
  isSlow: boolean;
  /** Drops transactions that were sent and not mined. */
  dropWaiting(): void;
}

/** The cost of every transaction of this registry. */
export const registrationCost = 1_000n;

export function memoryRegistry(): MemoryRegistry {
  let prepared = 0;
  const waiting = new Map<string, { wallet: string; ownerHash: string }>();
  const ask = () => {
    if (registry.isDown) throw new RegistryUnavailable('The chain is down.');
    if (registry.isSlow) return;
    for (const [txHash, { wallet, ownerHash }] of waiting) {
      if (!registry.claims.has(wallet)) registry.claims.set(wallet, { ownerHash, txHash });
      waiting.delete(txHash);
    }
  };
  const registry: MemoryRegistry = {
    chainId: 31337,
    address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    registrarKey: undefined,
    claims: new Map(),
    sent: [],
    isDown: false,
    losesAnswer: false,
    isSlow: false,
    dropWaiting: () => waiting.clear(),
    registrarAddress: (key) => `0x${createHash('sha256').update(key).digest('hex').slice(0, 40)}`,
    findClaim: async (wallet) => {
      ask();
      return registry.claims.get(wallet);
    },
    prepareClaim: async (claim) => {
      ask();
      prepared += 1;
      const hash = `0x${createHash('sha256').update(`transaction ${prepared}`).digest('hex')}`;
      return { hash, raw: JSON.stringify({ ...claim, hash }), maxCost: registrationCost };
    },
    send: async ({ hash, raw }) => {
      ask();
      waiting.set(hash, JSON.parse(raw));
      registry.sent.push(hash);
      ask();
      if (!registry.losesAnswer) return;
      registry.losesAnswer = false;
      throw new RegistryUnavailable('The connection was lost.');
    },
    stateOf: async (hash) => {
      ask();
      if (waiting.has(hash)) return 'pending';
      return [...registry.claims.values()].some(({ txHash }) => txHash === hash) ? 'mined' : 'unknown';
    },
  };
  return registry;
}

/** Runs the jobs of this feature. */
export function startRegistrations(t: TestPlatform): Worker {
  return startWorker({
    db: t.services.db,
    patienceMs,
    kinds: hostedWalletJobs,
    log: t.services.log,
    random: t.services.random,
    makeContext: (kind) => contextFor(t.services, { kind: 'system', job: kind.name }),
    validate: () => undefined,
  });
}
