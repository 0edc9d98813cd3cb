import { useState } from 'react';
import type { Call } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { Status } from '../parts/status.tsx';
import { useBrowserWallets } from '../wallets/use-browser-wallets.ts';
import { ChooseHolder } from './choose-holder.tsx';
import { chooseProxy, connectWallet, type Holder, moveWallet } from './connect-wallet.ts';
import { OpenQuestion } from './open-question.tsx';
import { SignElsewhere } from './sign-elsewhere.tsx';
import { useConnecting } from './use-connecting.ts';

interface AddWalletProps {
  call: Call;
  namespaces: readonly string[];
  communityId: string | undefined;
  onLinked(): void;
}

export function AddWallet({ call, namespaces, communityId, onLinked }: AddWalletProps) {
  const wallets = useBrowserWallets(namespaces);
  const connecting = useConnecting(onLinked);
  const [holder, setHolder] = useState<Holder>({ kind: 'wallet' });
  return (
    <section className="card" aria-labelledby="add-title">
      <h2 id="add-title">Link a wallet</h2>
      <p>
        Your wallet will ask you to sign a message that names this site and your account. Signing costs nothing. It is
        no transaction, moves nothing and gives nobody a right to what you own.
      </p>
      {wallets.length > 0 ? (
        <ul className="choices">
          {wallets.map((wallet) => (
            <li key={wallet.key}>
              <button
                type="button"
                className="choice"
                onClick={() => connecting.run((onStep) => connectWallet(call, wallet, { communityId, holder, onStep }))}
              >
                <Icon source={wallet.icon} name={wallet.name} />
                <span className="row-text">
                  <span>{wallet.name}</span>
                  <small>{wallet.namespace === 'evm' ? 'Ethereum and other EVM chains' : 'Solana'}</small>
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p className="hint">
          No wallet was found in this browser. On a phone, open this link in the browser of your wallet app. Or sign
          elsewhere, below.
        </p>
      )}
      <Status said={connecting.said} />
      {connecting.question && (
        <OpenQuestion
          question={connecting.question}
          onMove={(taken) => connecting.run(() => moveWallet(call, taken))}
          onChoose={(state, proxy) => connecting.run(() => chooseProxy(call, state, proxy))}
          onLeave={connecting.leave}
        />
      )}
      {wallets.some(({ namespace }) => namespace === 'evm') && <ChooseHolder holder={holder} onChoose={setHolder} />}
      <SignElsewhere call={call} namespaces={namespaces} communityId={communityId} connecting={connecting} />
    </section>
  );
}
