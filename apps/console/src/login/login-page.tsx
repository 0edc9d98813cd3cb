import type { ChatPlatform, LoginMethod, LoginPage as Page, PlatformName } from '@latchkey/kernel';
import { chatPlatforms } from '@latchkey/kernel/chat-platforms';
import { useMemo, useState } from 'react';
import { callAsAnyone } from '../api.ts';
import { OtherBrowser } from '../handoff/other-browser.tsx';
import { t } from '../messages/index.ts';
import { Icon } from '../parts/icon.tsx';
import { MethodIcon } from '../parts/line-icon.ts';
import { platformName } from '../parts/names.ts';
import { Status, type StatusMessage } from '../parts/status.tsx';
import { knowsPasskeys, signInWithPasskey } from '../passkeys/ceremonies.ts';
import { describeError } from '../say-error.ts';
import { useBrowserWallets } from '../wallets/use-browser-wallets.ts';
import { ChooseAccount } from './choose-account.tsx';
import { ClientLine } from './client-line.tsx';
import { goOn, logInWithWallet, SeveralAccounts } from './log-in.ts';
import { signedInPath } from './signed-in-path.ts';

type Step = (text: string) => void;
type LogIn = (work: (onStep: Step) => Promise<string>) => Promise<void>;

export function LoginPage({ data: { slug, client, isOwn, methods } }: { data: Page }) {
  return (
    <section className="card">
      <h1 className="clamped" title={client.name}>
        {t.rich('login.title', { name: <bdi key="name">{client.name}</bdi> })}
      </h1>
      {isOwn === true ? (
        <p>{t('login.ownLead')}</p>
      ) : (
        <>
          <ClientLine client={client} />
          <p>{t('login.lead')}</p>
        </>
      )}
      <LoginMethods methods={methods} slug={slug} onToken={(token) => goOn(slug, token)} />
    </section>
  );
}

/** The ways to sign in. Wallets and passkeys end in a token; chat platforms lead away from the page. */
export function LoginMethods({
  methods,
  slug,
  isOverPage = false,
  onToken,
}: {
  methods: readonly LoginMethod[];
  slug: string;
  /** Whether a page with unsaved input is behind: what leads to another site opens in another tab. */
  isOverPage?: boolean;
  onToken: (token: string) => void;
}) {
  const [reply, say] = useState<StatusMessage>();
  const [accounts, choose] = useState<SeveralAccounts>();

  const logIn: LogIn = async (work) => {
    choose(undefined);
    try {
      const token = await work((text) => say({ tone: 'busy', text }));
      say({ tone: 'good', text: t('login.done') });
      onToken(token);
    } catch (error) {
      if (error instanceof SeveralAccounts) choose(error);
      say(error instanceof SeveralAccounts ? undefined : { tone: 'bad', text: describeError(error) });
    }
  };

  return (
    <>
      <ul className="choices">
        {methods.map((method) => (
          <Method key={method} method={method} slug={slug} isOverPage={isOverPage} logIn={logIn} />
        ))}
      </ul>
      {accounts && <ChooseAccount several={accounts} logIn={logIn} />}
      <Status status={reply} />
      {methods.includes('wallet') && <p className="hint">{t('login.walletHint')}</p>}
    </>
  );
}

function Method({
  method,
  slug,
  isOverPage,
  logIn,
}: {
  method: LoginMethod;
  slug: string;
  isOverPage: boolean;
  logIn: LogIn;
}) {
  const call = useMemo(() => callAsAnyone(), []);
  if (method === 'wallet') return <WalletMethods logIn={logIn} />;
  if (method === 'passkey') {
    if (!knowsPasskeys()) return null;
    const signIn = (onStep: Step) => {
      onStep(t('login.onDevice'));
      return signInWithPasskey(call);
    };
    return (
      <li>
        <button type="button" className="choice" onClick={() => logIn(signIn)}>
          <MethodIcon method="passkey" />
          <span className="row-text">
            <span>{t('login.passkey')}</span>
            <small>{t('login.passkeyHow')}</small>
          </span>
        </button>
      </li>
    );
  }
  const { account }: ChatPlatform = chatPlatforms[method];
  if (account !== undefined)
    return <NamedAccount method={method} slug={slug} isOverPage={isOverPage} account={account} />;
  return (
    <li>
      <a
        className="choice"
        href={loginAddress(slug, method, isOverPage ? signedInPath : undefined)}
        {...(isOverPage && { target: '_blank' })}
      >
        <MethodIcon method={method} />
        <span className="row-text">
          <span>{platformName(method)}</span>
          {isOverPage && <small>{t('login.newTab')}</small>}
        </span>
      </a>
    </li>
  );
}

/** A platform whose bot sends a link to the account that is entered here. */
function NamedAccount({
  method,
  slug,
  isOverPage,
  account: { label, example },
}: {
  method: PlatformName;
  slug: string;
  isOverPage: boolean;
  account: NonNullable<ChatPlatform['account']>;
}) {
  const url = new URL(loginAddress(slug, method, isOverPage ? signedInPath : undefined), location.origin);
  return (
    <li>
      <form className="choice" method="get" action={url.pathname} {...(isOverPage && { target: '_blank' })}>
        {[...url.searchParams].map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <MethodIcon method={method} />
        <label className="row-text">
          <span>{platformName(method)}</span>
          <input
            name="account"
            aria-label={label}
            placeholder={example}
            required
            autoComplete="username"
            maxLength={128}
          />
        </label>
        <button type="submit">{t('login.sendLink')}</button>
      </form>
    </li>
  );
}

/** A sign-in to the console leads back to the page it started from. */
function loginAddress(slug: string, method: LoginMethod, to = location.pathname + location.search): string {
  const address = `/login/${encodeURIComponent(slug)}/with/${method}`;
  return slug === 'console' ? `${address}?${new URLSearchParams({ to })}` : address;
}

const walletNamespaces = ['evm'];

function WalletMethods({ logIn }: { logIn: LogIn }) {
  const call = useMemo(() => callAsAnyone(), []);
  const wallets = useBrowserWallets(walletNamespaces);
  return (
    <>
      {wallets.map((wallet) => (
        <li key={wallet.key}>
          <button
            type="button"
            className="choice"
            onClick={() => logIn((onStep) => logInWithWallet(call, wallet, onStep))}
          >
            <Icon source={wallet.icon} name={wallet.name} />
            <span className="row-text">
              <span className="clamped">{wallet.name}</span>
              <small>{t('login.ethereumWallet')}</small>
            </span>
          </button>
        </li>
      ))}
      <li>
        <OtherBrowser
          call={call}
          purpose="sign-in"
          wallets={wallets}
          namespaces={walletNamespaces}
          onFinished={({ idToken = '' }) => void logIn(() => Promise.resolve(idToken))}
        />
      </li>
    </>
  );
}
