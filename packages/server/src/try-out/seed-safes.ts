import { payerAddress, type Services } from '@latchkey/core';
import type { SampleWorld } from '@latchkey/twins/sample-world';
import { loadTwins } from './load-twins.ts';
import { sampleChain } from './with-twins.ts';

/** Puts the contracts of Safe on the chain of the twins, and gives the account that pays for wallets money. */
export async function seedSafes(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  if (services.safes?.chainId !== Number(sampleChain)) return;
  const { deploySafeContracts } = await loadTwins();
  await deploySafeContracts(chain, await payerAddress(services));
}
