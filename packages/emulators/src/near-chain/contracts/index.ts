import { bridgeFactory, bridgeToken } from './bridge-token.ts';
import type { Contract } from './contract.ts';
import { registrar } from './registrar.ts';

/** The contracts of others that the emulator brings along as TypeScript, by what their code is called. */
export const contracts: Readonly<Record<string, Contract>> = {
  registrar,
  'bridge-token': bridgeToken,
  'bridge-factory': bridgeFactory,
};
