import { type FormEvent, useState } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { chainWords } from '../wallets/chains.ts';

interface SignedFormProps {
  namespace: string;
  message: string;
  onSend(signed: { signature: string; publicKey?: string }): void;
}

export function SignedForm({ namespace, message, onSend }: SignedFormProps) {
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
