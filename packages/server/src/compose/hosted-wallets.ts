import { evmAddressOf, evmKeys } from '@latchkey/chains';
import { ownHostsOf, type Settings, type SignerContext } from '@latchkey/core';
import type { WalletRegistry } from '@latchkey/core/ports';
import { createKeyring, type Database, openBus, openDatabase, systemRandom } from '@latchkey/db';
import type { Log } from '@latchkey/kernel';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { fetchTo } from '../egress/index.ts';
import { loadSignerKeys } from '../master-keys.ts';
import { baseUrlOf } from '../run/addresses.ts';

const timeoutMs = 10_000;

/** Creates the hosted-wallet registry, if its address and a node of its chain are configured. */
export async function composeRegistry({
  registry,
  evmRpcUrls,
}: Pick<Config, 'registry' | 'evmRpcUrls'>): Promise<WalletRegistry | undefined> {
  const { address, chainId, registrarKey } = registry;
  if (address === undefined) return undefined;
  if (chainId === undefined)
    throw new Error('LATCHKEY_REGISTRY_ADDRESS is set, so LATCHKEY_REGISTRY_CHAIN_ID must be set too.');
  const urls = evmRpcUrls.get(String(chainId));
  if (urls === undefined) return undefined;
  const key = registrarKey === undefined ? undefined : Buffer.from(registrarKey.slice(2), 'hex');
  const { createWalletRegistry } = await import('@latchkey/chains/evm-registry');
  return createWalletRegistry({ urls, chainId, address, registrarKey: key, timeoutMs, fetch: fetchTo(urls) });
}

/** Returns the address of the registrar that this key controls. */
export const registrarOf = evmAddressOf;

/** Deploys a new registry to the configured chain, with the key's account as its registrar. */
export async function deployRegistry(
  { registry, evmRpcUrls }: Pick<Config, 'registry' | 'evmRpcUrls'>,
  key: Uint8Array,
): Promise<{ address: string; txHash: string }> {
  const { chainId } = registry;
  if (chainId === undefined) throw new Error('Set LATCHKEY_REGISTRY_CHAIN_ID to the chain to use, for example 8453.');
  const urls = evmRpcUrls.get(String(chainId));
  if (urls === undefined)
    throw new Error(
      `No node of the chain ${chainId} is configured. Set LATCHKEY_EVM_RPC_URLS to ${chainId}=https://….`,
    );
  const { deployContract, registryDeployment } = await import('@latchkey/chains/evm-registry');
  return deployContract(
    { urls, chainId, timeoutMs, fetch: fetchTo(urls) },
    { key, data: registryDeployment(registrarOf(key)) },
  );
}

/** The platform's settings for hosted wallets. The signer reads its policy itself. */
export function hostedWalletSettings(
  config: Pick<Config, 'signer' | 'stepUpRestHours'>,
): NonNullable<Settings['hostedWallets']> {
  return { allowsHashes: config.signer.policy.allowsHashes, stepUpRestSeconds: config.stepUpRestHours * 60 * 60 };
}

/** The configuration that the signer needs. */
export type SignerConfig = Pick<Config, 'signer' | 'dataDir' | 'baseUrl' | 'host' | 'port'>;

export interface SignerComposition {
  ctx: SignerContext & { db: Database };
  close(): Promise<void>;
}

/** Creates the signer's dependencies. It has its own database role and keys, and no outbound access. */
export async function composeSigner(
  config: SignerConfig,
  { log, databaseUrl }: { log: Log; databaseUrl: string },
): Promise<SignerComposition> {
  const keyring = createKeyring(await loadSignerKeys(config), systemRandom);
  const db = openDatabase({ url: databaseUrl, log, maxConnections: 4 });
  const bus = openBus({ url: databaseUrl, log });
  return {
    ctx: {
      clock: systemClock,
      random: systemRandom,
      log,
      db,
      bus,
      keyring,
      evmKeys,
      policy: { ...config.signer.policy, ownHosts: ownHostsOf(baseUrlOf(config, config.port)) },
    },
    close: async () => {
      await bus.close();
      await db.close();
    },
  };
}
