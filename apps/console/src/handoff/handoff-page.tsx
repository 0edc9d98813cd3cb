import type { HandoffPage as Page } from '@latchkey/kernel';
import { useMemo, useState } from 'react';
import { callAsAnyone } from '../api.ts';
import { ChooseAccount } from '../login/choose-account.tsx';
import { SeveralAccounts } from '../login/log-in.ts';
import { t } from '../messages/index.ts';
import { isPhone } from '../parts/device.ts';
import { Name } from '../parts/name.tsx';
import { platformName } from '../parts/names.ts';
import { Status, type StatusMessage } from '../parts/status.tsx';
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
  const [reply, say] = useState<StatusMessage>();
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
      <h1>{purpose === 'link' ? t('link.title') : t('login.title', { name: data.server })}</h1>
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
      <Status status={reply} />
      <p className="hint">{t('login.walletHint')}</p>
    </section>
  );
}

function Purpose({ data: { purpose, account, community } }: { data: Page }) {
  if (purpose === 'sign-in')
    return (
      <p>
        {t('handoff.startedElsewhere')} <strong>{t('handoff.closeIfNotYou')}</strong>
      </p>
    );
  const whose = {
    name: <Name key="name">{account?.name ?? ''}</Name>,
    platform: platformName(account?.platform ?? ''),
  };
  return (
    <p>
      {community === undefined
        ? t.rich('handoff.linkedTo', whose)
        : t.rich('handoff.linkedToFor', { ...whose, community: <Name key="community">{community.name}</Name> })}{' '}
      <strong>{t('handoff.closeIfOther')}</strong>
    </p>
  );
}

function NoWallet({ namespaces }: { namespaces: readonly string[] }) {
  if (!isPhone()) return <p className="hint">{t('handoff.noWallet')}</p>;
  return (
    <>
      <p>{t('handoff.chooseYourApp')}</p>
      <WalletAppList url={location.href} namespaces={namespaces} />
    </>
  );
}

function Code({ code }: { code: string }) {
  return (
    <section className="card">
      <h1>{t('handoff.goBack')}</h1>
      <p>{t('handoff.enterCode')}</p>
      <p className="shown-code">
        <output aria-label={t('handoff.codeIs', { code: [...code].join(' ') })}>
          {code.slice(0, 3)} {code.slice(3)}
        </output>
      </p>
      <p>
        <strong>{t('handoff.ownPage')}</strong> {t('handoff.nobodyAsks')}
      </p>
      <p className="hint">{t('handoff.canClose')}</p>
    </section>
  );
}
