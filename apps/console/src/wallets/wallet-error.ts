import type { BrowserWallet } from './wallet.ts';

/** A failure that the wallet reported, with a message for the user. Other errors are never of this class. */
export class WalletError extends Error {}

/** Codes of EIP-1193 and JSON-RPC. */
const refusals: Readonly<Record<number, string>> = {
  4001: 'You declined in your wallet. Nothing was signed.',
  4100: 'Your wallet did not let this page use the account. Unlock it and try again.',
  4900: 'Your wallet is not connected to its network. Open it and try again.',
  [-32002]: 'Your wallet already has an open request. Open it and respond there first.',
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

export const noAccount = () => new WalletError('Your wallet shared no account. Choose one there and try again.');
export const noSignature = () => new WalletError('Your wallet returned no signature. Try again.');

/** The code decides; the text differs by wallet and language, and is only quoted. */
function describeRefusal(error: unknown): string {
  const { code, message } = Object(error);
  const known = typeof code === 'number' ? refusals[code] : undefined;
  if (known !== undefined) return known;
  const text = typeof message === 'string' ? message.slice(0, 300) : '';
  return text === '' ? 'Your wallet reported an error. Try again.' : `Your wallet says: ${text}`;
}
