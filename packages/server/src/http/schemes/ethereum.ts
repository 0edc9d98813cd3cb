import { type AccountsOfWallet, type Services, verifyEthereumHeader } from '@latchkey/core';
import type { EvmSignatures } from '@latchkey/core/ports';
import { AppError } from '@latchkey/kernel';
import type { Scheme } from '../credentials.ts';

export interface EthereumOptions {
  isAllowed: boolean;
  signatures: EvmSignatures;
  accountsOfWallet: AccountsOfWallet;
}

/** `Authorization: Ethereum <token>`: a wallet's signature over this very request. Off unless the operator allows it. */
export function ethereumScheme(services: Services, options: EthereumOptions): Scheme {
  return async (token, request) => {
    if (!options.isAllowed)
      throw new AppError(
        'INVALID_CREDENTIAL',
        'This server does not accept the Ethereum header. Use another credential.',
      );
    const actor = await verifyEthereumHeader(
      services,
      token,
      { method: request.method, path: request.url },
      options.signatures,
      options.accountsOfWallet,
    );
    return { actor };
  };
}
