import type { LoginWay, LoginPage as Page } from '@latchkey/kernel';
import { useMemo, useState } from 'react';
import { callAsAnyone } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { platformName } from '../parts/names.ts';
import { type Said, Status } from '../parts/status.tsx';
import { knowsPasskeys, signInWithPasskey } from '../passkeys/ceremonies.ts';
import { sayError } from '../say-error.ts';
import { useBrowserWallets } from '../wallets/use-browser-wallets.ts';
import { ClientLine } from './client-line.tsx';
import { goOn, logInWithWallet } from './log-in.ts';

type Step = (text: string) => void;
type LogIn = (work: (onStep: Step) => Promise<string>) => Promise<void>;

export function LoginPage({ data: { slug, client, ways } }: { data: Page }) {
  const [said, say] = useState<Said>();

  const logIn: LogIn = async (work) => {
    try {
      const token = await work((text) => say({ tone: 'busy', text }));
      say({ tone: 'good', text: 'You are logged in. Going on …' });
      goOn(slug, token);
    } catch (error) {
      say({ tone: 'bad', text: sayError(error) });
    }
  };

  return (
    <section className="card">
      <h1>Log in to {client.name}</h1>
      {client.returnsTo === location.host ? (
        <p>Say who you are. Then you can link wallets to that account.</p>
      ) : (
        <>
          <ClientLine client={client} />
          <p>
            Say who you are. What {client.name} may know and do, you decide on the next page, unless you have decided it
            before.
          </p>
        </>
      )}
      <ul className="choices">
        {ways.map((way) => (
          <Way key={way} way={way} slug={slug} logIn={logIn} />
        ))}
      </ul>
      <Status said={said} />
      {ways.includes('wallet') && (
        <p className="hint">
          A wallet only signs a message that names this site. That costs nothing, is no transaction and moves nothing.
        </p>
      )}
    </section>
  );
}

function Way({ way, slug, logIn }: { way: LoginWay; slug: string; logIn: LogIn }) {
  const call = useMemo(() => callAsAnyone(), []);
  if (way === 'wallet') return <WalletWays logIn={logIn} />;
  if (way === 'passkey') {
    if (!knowsPasskeys()) return null;
    const signIn = (onStep: Step) => {
      onStep('Follow what your device asks …');
      return signInWithPasskey(call);
    };
    return (
      <li>
        <button type="button" className="choice" onClick={() => logIn(signIn)}>
          <Icon source={undefined} name="Passkey" />
          <span className="row-text">
            <span>Passkey</span>
            <small>Fingerprint, face or PIN</small>
          </span>
        </button>
      </li>
    );
  }
  return (
    <li>
      <a className="choice" href={`/login/${encodeURIComponent(slug)}/with/${way}`}>
        <Icon source={undefined} name={platformName(way)} />
        <span>{platformName(way)}</span>
      </a>
    </li>
  );
}

const walletNamespaces = ['evm'];

function WalletWays({ logIn }: { logIn: LogIn }) {
  const call = useMemo(() => callAsAnyone(), []);
  const wallets = useBrowserWallets(walletNamespaces);
  if (wallets.length === 0) {
    return (
      <li className="hint">
        No Ethereum wallet was found in this browser. On a phone, open this page in the browser of your wallet app.
      </li>
    );
  }
  return wallets.map((wallet) => (
    <li key={wallet.key}>
      <button type="button" className="choice" onClick={() => logIn((onStep) => logInWithWallet(call, wallet, onStep))}>
        <Icon source={wallet.icon} name={wallet.name} />
        <span className="row-text">
          <span>{wallet.name}</span>
          <small>Ethereum wallet</small>
        </span>
      </button>
    </li>
  ));
}
