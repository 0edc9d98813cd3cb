import { AppError } from '@latchkey/kernel';
import type { WalletNamespace } from '../../ports/index.ts';

export interface EvmAccount {
  chain: string;
  /** In EIP-55 form. */
  address: string;
}

const namedChains: Readonly<Record<string, string>> = { mainnet: '1' };

/** Reads an account id (`evm:1:0x…`, also with eip155 for evm). Throws VALIDATION_FAILED for anything else. */
export function readAccountId(evm: WalletNamespace, accountId: string): EvmAccount {
  const [, reference = '', text = ''] =
    /^(?:evm|eip155):([-a-zA-Z0-9]{1,32}):(0x[0-9a-fA-F]{40})$/.exec(accountId) ?? [];
  const chain = namedChains[reference] ?? reference;
  const address = /^[1-9]\d{0,17}$/.test(chain) ? evm.normalizeAddress(text, chain) : undefined;
  if (address === undefined) {
    throw new AppError(
      'VALIDATION_FAILED',
      'The body at /accountId is not an EVM account id. Use evm:1:0x followed by 40 hex digits.',
      {
        details: [{ path: '/accountId', code: 'account', message: 'must be an EVM account id' }],
      },
    );
  }
  return { chain, address };
}
