import type { SignInWallet } from '@latchkey/core';
import { useCallback, useState } from 'react';
import type { Call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { shortAddress } from '../parts/names.ts';
import { Status } from '../parts/status.tsx';
import { chainWords } from '../wallets/chains.ts';
import { useList } from './use-list.ts';

/** The linked wallets, each with its switch: whether it also signs in. */
export function WalletSection({ call }: { call: Call }) {
  const read = useCallback(() => call('GET /latchkey/account/wallets', {}), [call]);
  const { items, said, run } = useList<SignInWallet>(read);
  const [asked, ask] = useState<SignInWallet>();

  const switchOn = ({ id, address }: SignInWallet) =>
    run(`${shortAddress(address)} can sign in now.`, () => call('PUT /latchkey/account/wallets/{id}/sign-in', { id }));
  const switchOff = ({ id, address }: SignInWallet) =>
    run(`${shortAddress(address)} can no longer sign in. It is still linked.`, () =>
      call('DELETE /latchkey/account/wallets/{id}/sign-in', { id }),
    );

  return (
    <section className="card" aria-labelledby="wallets-title">
      <h2 id="wallets-title">Wallets</h2>
      <p>
        A linked wallet proves what you hold. It signs in to this account only if you allow it. To link or unlink
        wallets, go to <a href="/connect">Connect wallets</a>.
      </p>
      {items?.length === 0 && <p>No wallets linked yet.</p>}
      {items !== undefined && items.length > 0 && (
        <ul className="rows">
          {items.map((wallet) => (
            <li key={wallet.id}>
              <span className="row-text">
                <code className="address">{wallet.address}</code>
                <small>{describe(wallet)}</small>
              </span>
              {canSignIn(wallet) && (
                <button
                  type="button"
                  className="quiet"
                  aria-label={`${wallet.signsIn ? 'Stop' : 'Allow'} sign-in with ${wallet.address}`}
                  onClick={() => (wallet.signsIn ? switchOff(wallet) : ask(wallet))}
                >
                  {wallet.signsIn ? 'Stop sign-in' : 'Allow sign-in'}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Status said={said} />
      {asked && (
        <Confirm
          title="Allow sign-in with this wallet?"
          yes="Allow sign-in"
          onYes={() => {
            ask(undefined);
            void switchOn(asked);
          }}
          onNo={() => ask(undefined)}
        >
          <p>
            <code className="address">{asked.address}</code>
          </p>
          <p>Anyone with the key of this wallet can then sign in as you and do everything you can do here.</p>
        </Confirm>
      )}
    </section>
  );
}

function canSignIn({ accountId }: SignInWallet): boolean {
  return accountId.startsWith('evm:');
}

function describe({ accountId, signsInSince, createdTime }: SignInWallet): string {
  const since = (time: string) => new Date(time).toLocaleDateString();
  const signIn = signsInSince === undefined ? 'does not sign in' : `signs in since ${since(signsInSince)}`;
  return [chainWords(accountId.split(':')[0] ?? '').name, `linked ${since(createdTime)}`, signIn].join(' · ');
}
