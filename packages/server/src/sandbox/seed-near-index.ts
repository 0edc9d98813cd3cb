import { forgetNearIndex, type Services } from '@latchkey/core';
import type { Config } from '../config.ts';
import { isNearSample } from './with-emulators.ts';

/** Has the index begin anew: the NEAR network of the emulators is another one with every start. */
export async function seedNearIndex(services: Services, given: Pick<Config, 'near' | 'nearIndex'>): Promise<void> {
  if (isNearSample(given)) await forgetNearIndex(services);
}
