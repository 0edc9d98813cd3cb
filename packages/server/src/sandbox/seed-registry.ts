import { registerAgain, registrarAddress, type Services } from '@latchkey/core';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import { loadEmulators } from './load-emulators.ts';
import { sampleChain, sampleRegistry } from './with-emulators.ts';

/**
 * Deploys the hosted-wallet registry to the emulator chain, which is reset with every start, with the wallets of
 * earlier starts.
 */
export async function seedRegistry(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  if (services.walletRegistry?.address !== sampleRegistry) return;
  const { deployWalletRegistry } = await loadEmulators();
  await deployWalletRegistry(chain, await registrarAddress(services));
  await registerAgain(services, Number(sampleChain));
}
