import { type Services, waitingListSigner } from '@latchkey/core';
import type { SampleWorld } from '@latchkey/emulators/sample-world';
import { loadEmulators } from './load-emulators.ts';
import { sampleWaitingList } from './with-emulators.ts';

/** Deploys the waiting list contract to the emulator chain, which is reset with every start. */
export async function seedWaitingList(services: Services, { chain }: Pick<SampleWorld, 'chain'>): Promise<void> {
  const { deployWaitingList } = await loadEmulators();
  const signer = await waitingListSigner(services, { isReplaced: false });
  const address = await deployWaitingList(chain, asAddress(signer));
  if (address !== sampleWaitingList)
    throw new Error('The sample waiting list contract is not at the expected address.');
}

// The port returns addresses in EIP-55 form.
function asAddress(text: string): `0x${string}` {
  return text as `0x${string}`;
}
