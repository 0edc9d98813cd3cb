import { type EthereumWallets, type Services, verifyEthereumHeader } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { Scheme } from '../credentials.ts';

export interface EthereumOptions extends EthereumWallets {
  isAllowed: boolean;
}

/**
 * `Authorization: Ethereum <token>`: a wallet's signature of this exact request, or of the published text. Both are off
 * unless the operator allows them.
 */
export function ethereumScheme(services: Services, { isAllowed, ...wallets }: EthereumOptions): Scheme {
  return async (token, { method, url: path }) => {
    if (!isAllowed)
      throw new AppError(
        'INVALID_CREDENTIAL',
        'This server does not accept the Ethereum header. Use another credential.',
      );
    return { actor: await verifyEthereumHeader(services, token, { method, path }, wallets) };
  };
}
