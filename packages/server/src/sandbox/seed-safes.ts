import { payerAddress, type Services } from '@latchkey/core';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import { loadEmulators } from './load-emulators.ts';
import { sampleChain } from './with-emulators.ts';

/** Deploys the Safe contracts to the emulator chain, and funds the account that pays for wallets. */
export async function seedSafes(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  if (services.safes?.chainId !== Number(sampleChain)) return;
  const { deploySafeContracts } = await loadEmulators();
  await deploySafeContracts(chain, await payerAddress(services));
}
