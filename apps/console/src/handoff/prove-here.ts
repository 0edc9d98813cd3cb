import type { Call } from '../api.ts';
import { accountsOf, SeveralAccounts } from '../login/log-in.ts';
import { t } from '../messages/index.ts';
import { shortAddress } from '../parts/names.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';

type Step = (text: string) => void;

/** Proves a wallet of this browser for the one where the person began. Answers with the code to type there. */
export async function proveHere(call: Call, ticket: string, wallet: BrowserWallet, onStep: Step): Promise<string> {
  onStep(t('sign.chooseAccount', { wallet: wallet.name }));
  const { accountId, address, sign } = await wallet.open();
  try {
    return await prove([], onStep);
  } catch (error) {
    const accounts = accountsOf(error);
    if (accounts.length === 0) throw error;
    throw new SeveralAccounts(accounts, (resource, onNextStep) => prove([resource], onNextStep));
  }

  async function prove(resources: string[], show: Step): Promise<string> {
    const request = { ticket, accountId, ...(resources.length > 0 && { resources }) };
    const { message, state } = await call('POST /latchkey/handoffs/message', { body: request });
    show(t('sign.inWallet', { wallet: wallet.name, address: shortAddress(address) }));
    const signature = await sign(message);
    show(t('sign.checking'));
    const { code } = await call('POST /latchkey/handoffs/proof', { body: { ticket, accountId, state, signature } });
    return code;
  }
}
