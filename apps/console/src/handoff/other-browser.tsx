import { ApiError, type CallResult } from '@latchkey/client';
import { type FormEvent, type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import { t } from '../messages/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { isPhone } from '../parts/device.ts';
import { platformName, shortAddress } from '../parts/names.ts';
import { Status, type StatusMessage } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import type { BrowserWallet } from '../wallets/wallet.ts';
import { QrCode } from './qr-code.tsx';
import { WalletAppList } from './wallet-app-list.tsx';

interface OtherBrowserProps {
  call: Call;
  purpose: 'link' | 'sign-in';
  namespaces: readonly string[];
  /** The wallets that this browser has, which need no other one. */
  wallets: readonly BrowserWallet[];
  communityId?: string | undefined;
  /** Whether its button is the filled one of the page. */
  isMain?: boolean;
  onFinished(result: Finished): void;
}

/** For a wallet that lives elsewhere: on the phone, or in an app beside this browser. The step comes back here. */
export function OtherBrowser({
  call,
  purpose,
  namespaces,
  wallets,
  communityId,
  isMain = false,
  onFinished,
}: OtherBrowserProps) {
  const handoff = useHandoff(call, { purpose, communityId, onFinished });
  const { begun, progress, status: reply, begin, leave } = handoff;
  const onPhone = isPhone();
  return (
    <section className="elsewhere" aria-label={t('handoff.label')}>
      {begun === undefined ? (
        <button type="button" className={isMain ? 'main wide' : 'quiet wide'} onClick={() => void begin()}>
          {onPhone ? t('handoff.useApp') : t('handoff.usePhone')}
        </button>
      ) : (
        <div className="question">
          {progress?.state === 'proven' ? (
            <Accept handoff={handoff} wallet={progress.wallet} purpose={purpose} />
          ) : (
            <Carry url={begun.url} isOpened={progress?.state === 'opened'} onPhone={onPhone}>
              <WalletAppList
                url={begun.url}
                namespaces={namespaces}
                present={wallets.flatMap(({ rdns }) => rdns ?? [])}
              />
            </Carry>
          )}
          <button type="button" className="quiet" onClick={leave}>
            {t('action.cancel')}
          </button>
        </div>
      )}
      <Status status={reply} />
    </section>
  );
}

interface CarryProps {
  url: string;
  isOpened: boolean;
  onPhone: boolean;
  /** The wallet apps of a phone. */
  children: ReactNode;
}

function Carry({ url, isOpened, onPhone, children }: CarryProps) {
  return (
    <>
      <h3>{onPhone ? t('walletConnect.openApp') : t('handoff.scan')}</h3>
      {onPhone ? (
        children
      ) : (
        <>
          <QrCode text={url} label={t('handoff.qrCode')} />
          <p>{t('handoff.chooseApp')}</p>
        </>
      )}
      <p className="hint" role="status">
        {isOpened ? t('handoff.opened') : t('handoff.keepOpen')}
      </p>
      <CopyButton text={url} kind="link" />
    </>
  );
}

interface AcceptProps {
  handoff: Handoff;
  wallet: Progress['wallet'];
  purpose: 'link' | 'sign-in';
}

function Accept({ handoff: { accept }, wallet, purpose }: AcceptProps) {
  const [code, setCode] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void accept(code);
  };
  return (
    <form onSubmit={submit}>
      <h3>{purpose === 'link' ? t('handoff.isYourWallet') : t('handoff.isItYou')}</h3>
      <p>{signedInWords(wallet)}</p>
      <label className="field">
        {t('handoff.code')}
        <input
          className="code"
          value={code}
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\s*\d{3}\s*\d{3}\s*"
          maxLength={9}
          onChange={({ target }) => setCode(target.value)}
        />
      </label>
      <button type="submit">{purpose === 'link' ? t('link.button') : t('enter.button')}</button>
    </form>
  );
}

function signedInWords(wallet: Progress['wallet']): ReactNode {
  const address = (
    <code key="address" className="address" title={wallet?.address}>
      {shortAddress(wallet?.address ?? '')}
    </code>
  );
  if (wallet?.accountPlatform === undefined || wallet.accountPlatform === 'ethereum')
    return t.rich('handoff.signed', { address });
  const name = wallet.accountName ?? t('handoff.yourAccount');
  return t.rich('handoff.signedAs', { address, name, platform: platformName(wallet.accountPlatform) });
}

type Begun = CallResult<'POST /latchkey/handoffs'>;
type Progress = CallResult<'POST /latchkey/handoffs/state'>;
type Finished = CallResult<'POST /latchkey/handoffs/accept'>;

interface HandoffProps {
  purpose: 'link' | 'sign-in';
  communityId?: string | undefined;
  onFinished(result: Finished): void;
}

interface Handoff {
  begun: Begun | undefined;
  progress: Progress | undefined;
  status: StatusMessage | undefined;
  begin(): Promise<void>;
  accept(code: string): Promise<void>;
  leave(): void;
}

const pauseMs = 3_000;

/** A step that goes on in another browser, seen from the one that began. */
function useHandoff(call: Call, { purpose, communityId, onFinished }: HandoffProps): Handoff {
  const [begun, setBegun] = useState<Begun>();
  const [progress, setProgress] = useState<Progress>();
  const [reply, say] = useState<StatusMessage>();

  const leave = useCallback(() => {
    setBegun(undefined);
    setProgress(undefined);
    say(undefined);
  }, []);

  const end = useCallback((error: unknown) => {
    // The link has gone: there is nothing left to wait for.
    if (error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND') {
      setBegun(undefined);
      setProgress(undefined);
    }
    say({ tone: 'bad', text: describeError(error) });
  }, []);

  const key = begun?.key;
  const isProven = progress?.state === 'proven';
  useEffect(() => {
    if (key === undefined || isProven) return undefined;
    return watch(
      () => call('POST /latchkey/handoffs/state', { body: { key } }),
      setProgress,
      (error) => {
        if (error instanceof ApiError && error.code === 'ENTITY_NOT_FOUND') end(error);
      },
    );
  }, [call, key, isProven, end]);

  return {
    begun,
    progress,
    status: reply,
    leave,
    begin: async () => {
      leave();
      try {
        const body = { purpose, ...(communityId !== undefined && { communityId }) };
        setBegun(await call('POST /latchkey/handoffs', { body }));
      } catch (error) {
        end(error);
      }
    },
    accept: async (code) => {
      say({ tone: 'busy', text: t('handoff.checkingCode') });
      try {
        const result = await call('POST /latchkey/handoffs/accept', { body: { key: key ?? '', code } });
        leave();
        onFinished(result);
      } catch (error) {
        end(error);
      }
    },
  };
}

/** Asks again and again, and at once when the person comes back to this tab, until the answer is called. */
function watch<Answer>(
  ask: () => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
  onError: (error: unknown) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const next = async () => {
    clearTimeout(timer);
    try {
      const answer = await ask();
      if (!isOver) onAnswer(answer);
    } catch (error) {
      if (!isOver) onError(error);
    }
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(next, pauseMs);
  };
  const onVisible = () => {
    if (document.visibilityState === 'visible') void next();
  };
  document.addEventListener('visibilitychange', onVisible);
  timer = setTimeout(next, pauseMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
