import { bridgeFactory, bridgeToken } from './bridge-token.ts';
import type { Contract } from './contract.ts';
import { registrar } from './registrar.ts';

/** The third-party contracts that the emulator implements in TypeScript, by the name of their code. */
export const contracts: Readonly<Record<string, Contract>> = {
  registrar,
  'bridge-token': bridgeToken,
  'bridge-factory': bridgeFactory,
};
