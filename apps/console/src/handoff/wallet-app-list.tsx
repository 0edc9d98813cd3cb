import { t } from '../messages/index.ts';
import { Icon } from '../parts/icon.tsx';
import { pairingAppsFor, walletAppsFor } from './wallet-links.ts';

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
  const apps = walletAppsFor(namespaces, present);
  return <AppList apps={apps.map(({ name, link }) => ({ name, href: link(page, namespaces) }))} />;
}

/** Links that hand the address of a WalletConnect pairing to a wallet app, where a window follows no `wc:` links. */
export function PairingAppList({ uri, namespaces }: { uri: string; namespaces: readonly string[] }) {
  return <AppList apps={pairingAppsFor(namespaces).map(({ name, pair }) => ({ name, href: pair(uri) }))} />;
}

function AppList({ apps }: { apps: readonly { name: string; href: string }[] }) {
  return (
    <ul className="choices">
      {apps.map(({ name, href }) => (
        <li key={name}>
          <a className="choice" href={href} rel="noreferrer">
            <Icon source={undefined} name={name} />
            <span>{t('handoff.openIn', { app: name })}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
