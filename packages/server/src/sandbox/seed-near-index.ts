import { forgetNearIndex, type Services } from '@latchkey/core';
import type { Config } from '../config.ts';
import { isNearSample } from './with-emulators.ts';

/** Resets the index: the emulators' NEAR network is a new one with every start. */
export async function seedNearIndex(services: Services, given: Pick<Config, 'near' | 'nearIndex'>): Promise<void> {
  if (isNearSample(given)) await forgetNearIndex(services);
}
