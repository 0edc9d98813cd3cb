import { type FormEvent, useState } from 'react';
import type { Call } from '../api.ts';
import { accountIdOf, chainWords } from '../wallets/chains.ts';
import { askForMessage, type Outcome, sendSignature, type Target } from './connect-wallet.ts';
import { SignedForm } from './signed-form.tsx';
import type { Connecting } from './use-connecting.ts';

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
export function SignElsewhere({ call, namespaces, communityId, connecting }: SignElsewhereProps) {
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
