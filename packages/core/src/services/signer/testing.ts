import { evmKeys } from '@latchkey/chains/evm/keys';
import {
  createKeyring,
  type Database,
  type MasterKey,
  openBus,
  openDatabase,
  prepareSignerSchema,
  signerUrlOf,
} from '@latchkey/db';
import { patienceMs, seededRandom, type TestPlatform } from '../../testing/index.ts';
import { type ServedRequests, serveRequests } from './serve-requests.ts';
import type { SignerContext, SigningPolicy } from './signer-context.ts';

/** A signer next to a test platform: with its own role and master key, connected only through the database. */
export interface TestSigner {
  ctx: SignerContext & { db: Database };
  start(): void;
  stop(): Promise<void>;
  close(): Promise<void>;
}

const random = seededRandom('signer');
export const testPolicy: SigningPolicy = {
  maxPerMinute: 100,
  maxPerDay: 1000,
  maxTypedPerDay: 1000,
  allowsHashes: false,
  ownHosts: ['latchkey.test'],
};
export const signerKey: MasterKey = { id: 's1', key: random.bytes(32) };

/** Prepares a signer; `start` makes it answer. The platform's bus is a real one from then on. */
export async function testSigner(t: TestPlatform, policy: Partial<SigningPolicy> = {}): Promise<TestSigner> {
  const url = signerUrlOf(t.databaseUrl);
  await prepareSignerSchema(url);
  const db = openDatabase({ url, log: t.log, maxConnections: 8, connectTimeoutMs: patienceMs });
  const buses = [openBus({ url: t.databaseUrl, log: t.log }), openBus({ url, log: t.log })] as const;
  await Promise.all(buses.map((bus) => bus.ready()));
  t.services.bus = buses[0];
  t.services.evmDigests = evmKeys;
  const ctx = {
    clock: t.services.clock,
    random,
    log: t.log,
    db,
    bus: buses[1],
    keyring: createKeyring([signerKey], random),
    evmKeys,
    policy: { ...testPolicy, ...policy },
  };
  let served: ServedRequests | undefined;
  const stop = async () => {
    await served?.stop();
    served = undefined;
  };
  return {
    ctx,
    start: () => {
      served ??= serveRequests(ctx);
    },
    stop,
    close: async () => {
      await stop();
      await Promise.all(buses.map((bus) => bus.close()));
      await db.close();
    },
  };
}
