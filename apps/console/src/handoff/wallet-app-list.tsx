import { t } from '../messages/index.ts';
import { Icon } from '../parts/icon.tsx';
import { walletAppsFor } from './wallet-links.ts';

/** Links that open a page of ours in the browser of a wallet app. Each is a real link, which the person taps. */
export function WalletAppList({
  url,
  namespaces,
  present = [],
}: {
  url: string;
  namespaces: readonly string[];
  /** The wallets of this browser, by the names of their makers. */
  present?: readonly string[];
}) {
  const page = new URL(url);
  return (
    <ul className="choices">
      {walletAppsFor(namespaces, present).map(({ name, link }) => (
        <li key={name}>
          <a className="choice" href={link(page, namespaces)} rel="noreferrer">
            <Icon source={undefined} name={name} />
            <span>{t('handoff.openIn', { app: name })}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
