import type { Config } from '../config.ts';
import { loadSignerKeys, readServerKeyFile } from '../master-keys.ts';

/** Refuses to run a signer that knows a master key of the servers: one leak would then open both. */
export async function assertApart(config: Pick<Config, 'masterKeys' | 'signer' | 'dataDir'>): Promise<void> {
  if (config.masterKeys.length > 0)
    throw new Error(
      'The signer must not be given the master keys of the servers. Start it without LATCHKEY_MASTER_KEYS, also in .env.',
    );
  const [own, servers] = await Promise.all([loadSignerKeys(config), readServerKeyFile(config)]);
  if (own.some(({ key }) => servers.some((other) => Buffer.from(key).equals(other.key))))
    throw new Error(
      'A master key of the signer is also one of the servers. Give it keys of its own in LATCHKEY_SIGNER_MASTER_KEYS.',
    );
}
