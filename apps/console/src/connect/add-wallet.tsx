import type { ConnectPage } from '@latchkey/kernel';
import { type FormEvent, useState } from 'react';
import type { Call } from '../api.ts';
import { OtherBrowser } from '../handoff/other-browser.tsx';
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
}

export function AddWallet({
  call,
  namespaces,
  communityId,
  connecting,
  walletConnect,
  isBare = false,
  isMain = true,
}: AddWalletProps) {
  const wallets = useBrowserWallets(namespaces);
  const [holder, setHolder] = useState<Holder>({ kind: 'wallet' });
  return (
    <section className={isBare ? undefined : 'card'} aria-label="Link a wallet">
      {!isBare && <h2>Link a wallet</h2>}
      <p>
        Your wallet will ask you to sign a message that names this site and your account. Signing is free. It is not a
        transaction: it moves nothing and gives no one access to what you own.
      </p>
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
      <Status said={connecting.said} />
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
  { kind: 'wallet', words: 'The wallet itself' },
  { kind: 'safe', words: 'A Safe that it owns' },
  { kind: 'dsproxy', words: 'Its DSProxy' },
] as const;

/** For those whose tokens lie in a contract that their wallet speaks for. */
function ChooseHolder({ holder, onChoose }: { holder: Holder; onChoose(holder: Holder): void }) {
  return (
    <details>
      <summary>My tokens are in a Safe or a DSProxy</summary>
      <fieldset>
        <legend>What to link when an Ethereum wallet signs</legend>
        {kinds.map(({ kind, words }) => (
          <label key={kind} className="radio">
            <input
              type="radio"
              name="holder"
              checked={holder.kind === kind}
              onChange={() => onChoose(kind === 'safe' ? { kind, address: '' } : { kind })}
            />
            {words}
          </label>
        ))}
      </fieldset>
      {holder.kind === 'safe' && (
        <label className="field">
          Address of the Safe
          <input
            value={holder.address}
            placeholder="0x…"
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChoose({ kind: 'safe', address: target.value })}
          />
        </label>
      )}
      <p className="hint">The Safe or DSProxy must be on the network that your wallet is set to.</p>
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
      <Confirm
        title="Move this wallet to this account?"
        yes="Move it here"
        onYes={() => onMove(question)}
        onNo={onLeave}
      >
        <p>
          <code className="address">{question.address}</code> is linked to another account that shares a community with
          this one. You just proved that it is yours, so you can move it here. The other account loses the roles that
          depend on it.
        </p>
      </Confirm>
    );
  }
  return (
    <div className="question">
      <h3>Which of these do you want to link?</h3>
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
        None of them
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

interface Asked {
  namespace: string;
  target: Target;
  message: string;
  state: string;
}

/** For wallets that this page cannot talk to: the person carries the message there and the signature back. */
function SignElsewhere({ call, namespaces, communityId, connecting }: SignElsewhereProps) {
  const [namespace, setNamespace] = useState(namespaces[0] ?? 'evm');
  const [address, setAddress] = useState('');
  const [asked, setAsked] = useState<Asked>();

  function ask(event: FormEvent): void {
    event.preventDefault();
    const target = { accountId: accountIdOf(namespace, address.trim()) };
    void connecting.run(async (onStep) => {
      onStep('Preparing the message …');
      const answer = await askForMessage(call, target, communityId);
      if (answer.kind !== 'sign') return answer;
      setAsked({ namespace, target, message: answer.message, state: answer.state });
      return new Promise<Outcome>(() => onStep('Sign the message below with your wallet, and paste the signature.'));
    });
  }

  return (
    <details>
      <summary>Use a wallet that is not in this browser</summary>
      <form onSubmit={ask}>
        <label className="field">
          Chain
          <select value={namespace} onChange={({ target }) => setNamespace(target.value)}>
            {namespaces.map((name) => (
              <option key={name} value={name}>
                {chainWords(name).name}
              </option>
            ))}
          </select>
        </label>
        <label className="field">
          Address
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
        <button type="submit">Show the message to sign</button>
      </form>
      {asked && (
        <SignedForm
          key={asked.state}
          namespace={asked.namespace}
          message={asked.message}
          onSend={(signed) => {
            setAsked(undefined);
            void connecting.run((onStep) => {
              onStep('Checking the signature …');
              return sendSignature(call, asked.target, { state: asked.state, ...signed });
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
      <h3>Sign this message</h3>
      <p>{words.how} Sign it exactly as shown. It works once, within 15 minutes.</p>
      <pre>{message}</pre>
      <CopyButton text={message} what="the message" />
      {words.publicKey !== undefined && (
        <label className="field">
          Public key
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
        Signature
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
      <button type="submit">Link this wallet</button>
    </form>
  );
}
