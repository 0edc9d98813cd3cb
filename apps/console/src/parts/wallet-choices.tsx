import { chainWords } from '../wallets/chains.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';
import { Icon } from './icon.tsx';

/** The wallets that this browser has, each as a button. */
export function WalletChoices({
  wallets,
  onChoose,
}: {
  wallets: readonly BrowserWallet[];
  onChoose(wallet: BrowserWallet): void;
}) {
  return (
    <ul className="choices">
      {wallets.map((wallet) => (
        <li key={wallet.key}>
          <button
            type="button"
            className={wallets.length === 1 ? 'choice main' : 'choice'}
            onClick={() => onChoose(wallet)}
          >
            <Icon source={wallet.icon} name={wallet.name} />
            <span className="row-text">
              <span className="clamped">{wallet.name}</span>
              <small>{chainWords(wallet.namespace).name}</small>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
