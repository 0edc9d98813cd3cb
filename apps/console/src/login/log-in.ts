import { ApiError } from '@latchkey/client';
import type { Call } from '../api.ts';
import { t } from '../messages/index.ts';
import { shortAddress } from '../parts/names.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';

type Step = (text: string) => void;

export interface SignInAccount {
  userId: string;
  platform: string;
  name?: string;
  /** Chooses this account when it is among the resources of the message. */
  resource: string;
}

/** The wallet signs in to several accounts, and one must be chosen. */
export class SeveralAccounts extends Error {
  readonly accounts: readonly SignInAccount[];
  readonly again: (resource: string, onStep: Step) => Promise<string>;

  constructor(accounts: readonly SignInAccount[], again: SeveralAccounts['again']) {
    super('The wallet signs in to several accounts.');
    this.accounts = accounts;
    this.again = again;
  }
}

/**
 * Logs in with a wallet: the server writes a message, the wallet signs it. Answers with an AE token, or throws
 * `SeveralAccounts`.
 */
export async function logInWithWallet(call: Call, wallet: BrowserWallet, onStep: Step): Promise<string> {
  onStep(t('sign.chooseAccount', { wallet: wallet.name }));
  const { accountId, address, sign } = await wallet.open();
  try {
    return await signIn([], onStep);
  } catch (error) {
    const accounts = accountsOf(error);
    if (accounts.length === 0) throw error;
    throw new SeveralAccounts(accounts, (resource, onNextStep) => signIn([resource], onNextStep));
  }

  async function signIn(resources: string[], show: Step): Promise<string> {
    const request = await call('POST /ethereum-login/challenges', { body: { accountId, resources } });
    const { message = '', requestId = '' } = request;
    show(t('sign.inWallet', { wallet: wallet.name, address: shortAddress(address) }));
    const signature = await sign(message);
    show(t('sign.checking'));
    const { idToken } = await call('POST /ethereum-login/id-tokens', { body: { requestId, signature, accountId } });
    return idToken;
  }
}

/** The accounts to choose from, where a wallet signs in to several. */
export function accountsOf(error: unknown): SignInAccount[] {
  if (!(error instanceof ApiError) || error.code !== 'STATE_CONFLICT' || !Array.isArray(error.details)) return [];
  return error.details.flatMap(({ info }) => (typeof info?.resource === 'string' ? [info] : []));
}

/** Takes the person back to the request of the application, with the proof of who they are. */
export function goOn(slug: string, token: string, userAuthorization?: 'granted' | 'denied'): void {
  const query = new URLSearchParams({ aeToken: token, ...(userAuthorization && { userAuthorization }) });
  location.assign(`/oauth2/callback/${encodeURIComponent(slug)}?${query}`);
}
