import type { HandoffPage as Page } from '@latchkey/kernel';
import { useMemo, useState } from 'react';
import { callAsAnyone } from '../api.ts';
import { ChooseAccount } from '../login/choose-account.tsx';
import { SeveralAccounts } from '../login/log-in.ts';
import { isPhone } from '../parts/device.ts';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import { type Said, Status } from '../parts/status.tsx';
import { WalletChoices } from '../parts/wallet-choices.tsx';
import { describeError } from '../say-error.ts';
import { useBrowserWallets } from '../wallets/use-browser-wallets.ts';
import { proveHere } from './prove-here.ts';
import { WalletAppList } from './wallet-app-list.tsx';

type Step = (text: string) => void;

/** The other browser: proves a wallet and shows the code that the first one asks for. It does not sign in by itself. */
export function HandoffPage({ data }: { data: Page }) {
  const { ticket, purpose, namespaces } = data;
  const call = useMemo(() => callAsAnyone(), []);
  const wallets = useBrowserWallets(namespaces);
  const [code, setCode] = useState<string>();
  const [said, say] = useState<Said>();
  const [accounts, choose] = useState<SeveralAccounts>();

  const run = async (work: (onStep: Step) => Promise<string>) => {
    choose(undefined);
    try {
      setCode(await work((text) => say({ tone: 'busy', text })));
      say(undefined);
    } catch (error) {
      if (error instanceof SeveralAccounts) choose(error);
      say(error instanceof SeveralAccounts ? undefined : { tone: 'bad', text: describeError(error) });
    }
  };

  if (code !== undefined) return <Code code={code} />;
  return (
    <section className="card">
      <h1>{purpose === 'link' ? 'Link a wallet' : `Sign in to ${data.server}`}</h1>
      <Purpose data={data} />
      {wallets.length > 0 ? (
        <WalletChoices
          wallets={wallets}
          onChoose={(wallet) => void run((onStep) => proveHere(call, ticket, wallet, onStep))}
        />
      ) : (
        <NoWallet namespaces={namespaces} />
      )}
      {accounts && <ChooseAccount several={accounts} logIn={run} />}
      <Status said={said} />
      <p className="hint">
        Your wallet signs a message that names this site. It is free, is not a transaction and moves nothing.
      </p>
    </section>
  );
}

function Purpose({ data: { purpose, account, community } }: { data: Page }) {
  if (purpose === 'sign-in')
    return (
      <p>
        You started to sign in on another device or in another browser. <strong>If you did not, close this page</strong>
        : someone else would be signed in as you.
      </p>
    );
  return (
    <p>
      It will be linked to <Name>{account?.name ?? ''}</Name>
      {account && ` on ${platformName(account.platform)}`}
      {community && (
        <>
          , for roles in <Name>{community.name}</Name>
        </>
      )}
      . <strong>If that is not you, close this page.</strong>
    </p>
  );
}

function NoWallet({ namespaces }: { namespaces: readonly string[] }) {
  if (!isPhone())
    return <p className="hint">No wallet was found in this browser. Open this link where your wallet is.</p>;
  return (
    <>
      <p>Choose your wallet app. This page then opens in it.</p>
      <WalletAppList url={location.href} namespaces={namespaces} />
    </>
  );
}

function Code({ code }: { code: string }) {
  return (
    <section className="card">
      <h1>Go back to the page where you started</h1>
      <p>Enter this code there:</p>
      <p className="shown-code">
        <output aria-label={`The code is ${[...code].join(' ')}`}>
          {code.slice(0, 3)} {code.slice(3)}
        </output>
      </p>
      <p>
        <strong>Enter it only on your own page.</strong> No one from Latchkey or your community will ever ask for it in
        a chat, an email or a call.
      </p>
      <p className="hint">You can close this page afterwards. The code works for a few minutes.</p>
    </section>
  );
}
