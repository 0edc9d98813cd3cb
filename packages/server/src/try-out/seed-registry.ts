import { registerAgain, registrarAddress, type Services } from '@latchkey/core';
import type { SampleWorld } from '@latchkey/twins/sample-world';
import { loadTwins } from './load-twins.ts';
import { sampleChain, sampleRegistry } from './with-twins.ts';

/** Puts the registry of hosted wallets on the chain of the twins, with the wallets of earlier starts, which it has forgotten. */
export async function seedRegistry(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  if (services.walletRegistry?.address !== sampleRegistry) return;
  const { deployWalletRegistry } = await loadTwins();
  await deployWalletRegistry(chain, await registrarAddress(services));
  await registerAgain(services, Number(sampleChain));
}
