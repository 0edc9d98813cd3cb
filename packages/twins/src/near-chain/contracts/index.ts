import { bridgeFactory, bridgeToken } from './bridge-token.ts';
import type { Contract } from './contract.ts';
import { market } from './market.ts';
import { nep141 } from './nep141.ts';
import { nep171 } from './nep171.ts';
import { registrar } from './registrar.ts';

/** The contracts that the twin knows, by what their code is called. */
export const contracts: Readonly<Record<string, Contract>> = {
  nep141,
  nep171,
  market,
  registrar,
  'bridge-token': bridgeToken,
  'bridge-factory': bridgeFactory,
};
