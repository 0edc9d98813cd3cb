import { type FormEvent, useRef, useState } from 'react';
import type { Call } from '../api.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Status } from '../parts/status.tsx';
import { knowsPasskeys } from './ceremonies.ts';
import { PasskeyRow } from './passkey-row.tsx';
import { type Passkey, usePasskeys } from './use-passkeys.ts';

const longestName = 100;

export function PasskeySection({ call }: { call: Call }) {
  const { passkeys, said, add, rename, remove } = usePasskeys(call);
  const [name, setName] = useState('This device');
  const [leaving, setLeaving] = useState<Passkey>();
  const title = useRef<HTMLHeadingElement>(null);
  if (passkeys === undefined && said === undefined) return null;

  function submit(event: FormEvent): void {
    event.preventDefault();
    void add(name.trim());
  }

  return (
    <section className="card" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title" ref={title} tabIndex={-1}>
        Passkeys
      </h2>
      <p>
        With a passkey you log in as this account by fingerprint, face or PIN, without a wallet. This site keeps only
        its public half.
      </p>
      {passkeys !== undefined && passkeys.length > 0 && (
        <ul className="rows">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRename={rename} onRemove={setLeaving} />
          ))}
        </ul>
      )}
      <Status said={said} />
      {knowsPasskeys() ? (
        <form className="inline" onSubmit={submit}>
          <label className="field">
            Name of the new passkey
            <input
              value={name}
              required
              pattern=".*\S.*"
              maxLength={longestName}
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          </label>
          <button type="submit">Add a passkey</button>
        </form>
      ) : (
        <p className="hint">
          Passkeys do not work in this browser. Open this page in the usual browser of your device.
        </p>
      )}
      {leaving && (
        <Confirm
          title={`Delete ${leaving.name}?`}
          yes="Delete"
          onYes={() => {
            setLeaving(undefined);
            title.current?.focus();
            void remove(leaving);
          }}
          onNo={() => setLeaving(undefined)}
        >
          <p>You can no longer sign in with it. Your device may still show it; delete it there too.</p>
        </Confirm>
      )}
    </section>
  );
}
