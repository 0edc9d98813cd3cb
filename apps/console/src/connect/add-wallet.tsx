import type { ConnectPage } from '@latchkey/kernel';
import { type FormEvent, useState } from 'react';
import type { Call } from '../api.ts';
import { OtherBrowser } from '../handoff/other-browser.tsx';
import { t } from '../messages/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { Status } from '../parts/status.tsx';
import { WalletChoices } from '../parts/wallet-choices.tsx';
import { accountIdOf, chainWords } from '../wallets/chains.ts';
import { useBrowserWallets } from '../wallets/use-browser-wallets.ts';
import {
  askForMessage,
  chooseProxy,
  connectWallet,
  type Holder,
  moveWallet,
  type Outcome,
  outcomeOf,
  sendSignature,
  type Target,
} from './connect-wallet.ts';
import type { Connecting, Question } from './use-connecting.ts';
import { WalletConnectChoice } from './wallet-connect-choice.tsx';

interface AddWalletProps {
  call: Call;
  namespaces: readonly string[];
  communityId: string | undefined;
  connecting: Connecting;
  /** Set where the operator chose to offer it. */
  walletConnect?: ConnectPage['walletConnect'];
  /** Without a heading and a card of its own. */
  isBare?: boolean;
  /** Whether linking is the next step of the page, and has its filled button. */
  isMain?: boolean;
  /** Whether the page is a Mini App, whose window opens no wallet app by itself. */
  isInTelegram?: boolean;
}

export function AddWallet({
  call,
  namespaces,
  communityId,
  connecting,
  walletConnect,
  isBare = false,
  isMain = true,
  isInTelegram = false,
}: AddWalletProps) {
  const wallets = useBrowserWallets(namespaces);
  const [holder, setHolder] = useState<Holder>({ kind: 'wallet' });
  return (
    <section className={isBare ? undefined : 'card'} aria-label={t('link.title')}>
      {!isBare && <h2>{t('link.title')}</h2>}
      <p>{t('link.about')}</p>
      <WalletChoices
        wallets={wallets}
        isMain={isMain}
        onChoose={(wallet) =>
          void connecting.run((onStep) => connectWallet(call, wallet, { communityId, holder, onStep }))
        }
      />
      {walletConnect && (
        <WalletConnectChoice
          call={call}
          settings={walletConnect}
          namespaces={namespaces}
          communityId={communityId}
          holder={holder}
          connecting={connecting}
          isInTelegram={isInTelegram}
        />
      )}
      <OtherBrowser
        call={call}
        purpose="link"
        isMain={isMain && wallets.length === 0 && walletConnect === undefined}
        wallets={wallets}
        namespaces={namespaces}
        communityId={communityId}
        onFinished={({ connection }) => void connecting.run(async () => outcomeOf(connection ?? {}))}
      />
      <Status status={connecting.status} />
      {connecting.question && (
        <OpenQuestion
          question={connecting.question}
          onMove={(taken) => connecting.run(() => moveWallet(call, taken))}
          onChoose={(state, proxy) => connecting.run(() => chooseProxy(call, state, proxy))}
          onLeave={connecting.leave}
        />
      )}
      {(walletConnect || wallets.some(({ namespace }) => namespace === 'evm')) && (
        <ChooseHolder holder={holder} onChoose={setHolder} />
      )}
      <SignElsewhere call={call} namespaces={namespaces} communityId={communityId} connecting={connecting} />
    </section>
  );
}

const kinds = [
  { kind: 'wallet', title: 'link.theWallet' },
  { kind: 'safe', title: 'link.theSafe' },
  { kind: 'dsproxy', title: 'link.theProxy' },
] as const;

/** For those whose tokens lie in a contract that their wallet speaks for. */
function ChooseHolder({ holder, onChoose }: { holder: Holder; onChoose(holder: Holder): void }) {
  return (
    <details>
      <summary>{t('link.inContract')}</summary>
      <fieldset>
        <legend>{t('link.whatToLink')}</legend>
        {kinds.map(({ kind, title }) => (
          <label key={kind} className="radio">
            <input
              type="radio"
              name="holder"
              checked={holder.kind === kind}
              onChange={() => onChoose(kind === 'safe' ? { kind, address: '' } : { kind })}
            />
            {t(title)}
          </label>
        ))}
      </fieldset>
      {holder.kind === 'safe' && (
        <label className="field">
          {t('link.safeAddress')}
          <input
            value={holder.address}
            placeholder="0x…"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChoose({ kind: 'safe', address: target.value })}
          />
        </label>
      )}
      <p className="hint">{t('link.sameNetwork')}</p>
    </details>
  );
}

interface OpenQuestionProps {
  question: Question;
  onMove(taken: Extract<Question, { kind: 'taken' }>): void;
  onChoose(state: string, proxy: string): void;
  onLeave(): void;
}

/** What only the person can decide before a wallet is linked. */
function OpenQuestion({ question, onMove, onChoose, onLeave }: OpenQuestionProps) {
  if (question.kind === 'taken') {
    return (
      <Confirm title={t('link.moveTitle')} yes={t('link.move')} onYes={() => onMove(question)} onNo={onLeave}>
        <p>
          {t.rich('link.moveAbout', {
            address: (
              <code key="address" className="address">
                {question.address}
              </code>
            ),
          })}
        </p>
      </Confirm>
    );
  }
  return (
    <div className="question">
      <h3>{t('link.which')}</h3>
      <ul className="choices">
        {question.proxies.map((proxy) => (
          <li key={proxy}>
            <button type="button" className="choice" onClick={() => onChoose(question.state, proxy)}>
              <code className="address">{proxy}</code>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className="quiet" onClick={onLeave}>
        {t('link.none')}
      </button>
    </div>
  );
}

interface SignElsewhereProps {
  call: Call;
  namespaces: readonly string[];
  communityId: string | undefined;
  connecting: Connecting;
}

interface SigningRequest {
  namespace: string;
  target: Target;
  message: string;
  state: string;
}

/** For wallets that this page cannot talk to: the person carries the message there and the signature back. */
function SignElsewhere({ call, namespaces, communityId, connecting }: SignElsewhereProps) {
  const [namespace, setNamespace] = useState(namespaces[0] ?? 'evm');
  const [address, setAddress] = useState('');
  const [request, setAsked] = useState<SigningRequest>();

  function ask(event: FormEvent): void {
    event.preventDefault();
    const target = { accountId: accountIdOf(namespace, address.trim()) };
    void connecting.run(async (onStep) => {
      onStep(t('link.preparing'));
      const answer = await askForMessage(call, target, communityId);
      if (answer.kind !== 'sign') return answer;
      setAsked({ namespace, target, message: answer.message, state: answer.state });
      return new Promise<Outcome>(() => onStep(t('link.pasteSignature')));
    });
  }

  return (
    <details>
      <summary>{t('link.elsewhere')}</summary>
      <form onSubmit={ask}>
        <label className="field">
          {t('link.chain')}
          <select value={namespace} onChange={({ target }) => setNamespace(target.value)}>
            {namespaces.map((name) => (
              <option key={name} value={name}>
                {chainWords(name).name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          {t('link.address')}
          <input
            value={address}
            required
            maxLength={128}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={({ target }) => setAddress(target.value)}
          />
        </label>
        <button type="submit">{t('link.showMessage')}</button>
      </form>
      {request && (
        <SignedForm
          key={request.state}
          namespace={request.namespace}
          message={request.message}
          onSend={(signed) => {
            setAsked(undefined);
            void connecting.run((onStep) => {
              onStep(t('sign.checking'));
              return sendSignature(call, request.target, { state: request.state, ...signed });
            });
          }}
        />
      )}
    </details>
  );
}

interface SignedFormProps {
  namespace: string;
  message: string;
  onSend(signed: { signature: string; publicKey?: string }): void;
}

function SignedForm({ namespace, message, onSend }: SignedFormProps) {
  const words = chainWords(namespace);
  const [signature, setSignature] = useState('');
  const [publicKey, setPublicKey] = useState('');

  function send(event: FormEvent): void {
    event.preventDefault();
    const key = publicKey.trim();
    onSend({ signature: signature.trim(), ...(key !== '' && { publicKey: key }) });
  }

  return (
    <form onSubmit={send}>
      <h3>{t('link.signThis')}</h3>
      <p>{t('link.signExactly', { how: words.how })}</p>
      <pre>{message}</pre>
      <CopyButton text={message} kind="message" />
      {words.publicKey !== undefined && (
        <label className="field">
          {t('link.publicKey')}
          <input
            value={publicKey}
            maxLength={256}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setPublicKey(target.value)}
          />
          <small>{words.publicKey}</small>
        </label>
      )}
      <label className="field">
        {t('link.signature')}
        <textarea
          value={signature}
          required
          rows={3}
          maxLength={65_536}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setSignature(target.value)}
        />
        <small>{words.signature}</small>
      </label>
      <button type="submit">{t('link.button')}</button>
    </form>
  );
}
