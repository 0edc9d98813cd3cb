import { type PageMessageId, t } from '../messages/index.ts';
import type { BrowserWallet } from './wallet.ts';

/** A failure that the wallet reported, with a message for the user. Other errors are never of this class. */
export class WalletError extends Error {}

/** Codes of EIP-1193 and JSON-RPC. */
const refusals: Readonly<Record<number, PageMessageId & `walletError.${string}`>> = {
  4001: 'walletError.declined',
  4100: 'walletError.locked',
  4900: 'walletError.disconnected',
  [-32002]: 'walletError.busy',
};

/** Wraps a wallet so that all its failures are `WalletError`s. */
export function withWalletErrors(wallet: BrowserWallet): BrowserWallet {
  return {
    ...wallet,
    open: async () => {
      const account = await fromWallet(() => wallet.open());
      return { ...account, sign: (message) => fromWallet(() => account.sign(message)) };
    },
  };
}

async function fromWallet<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WalletError ? error : new WalletError(describeRefusal(error), { cause: error });
  }
}

export const noAccount = () => new WalletError(t('walletError.noAccount'));
export const noSignature = () => new WalletError(t('walletError.noSignature'));

/** The code decides; the text differs by wallet and language, and is only quoted. */
function describeRefusal(error: unknown): string {
  const { code, message } = Object(error);
  const known = typeof code === 'number' ? refusals[code] : undefined;
  if (known !== undefined) return t(known);
  const text = typeof message === 'string' ? message.slice(0, 300) : '';
  return text === '' ? t('walletError.unknown') : t('walletError.quoted', { text });
}
