import { chainWords } from '../wallets/chains.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';
import { Icon } from './icon.tsx';

/** The wallets of this browser, each as a button. */
export function WalletChoices({
  wallets,
  isMain = false,
  onChoose,
}: {
  wallets: readonly BrowserWallet[];
  /** Whether this is the purpose of the page: a single wallet then gets the primary button. */
  isMain?: boolean;
  onChoose(wallet: BrowserWallet): void;
}) {
  return (
    <ul className="choices">
      {wallets.map((wallet) => (
        <li key={wallet.key}>
          <button
            type="button"
            className={isMain && wallets.length === 1 ? 'choice main' : 'choice'}
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
