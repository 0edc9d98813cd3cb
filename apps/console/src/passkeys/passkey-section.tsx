import { ApiError } from '@latchkey/client';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Call } from '../api.ts';
import { Confirm } from '../parts/dialog.tsx';
import { type Said, Status } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';
import { knowsPasskeys, registerPasskey } from './ceremonies.ts';

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
        With a passkey you sign in as this account by fingerprint, face or PIN, without a wallet. This site keeps only
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
          <button type="submit" className="quiet">
            Add a passkey
          </button>
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

interface PasskeyRowProps {
  passkey: Passkey;
  onRename(passkey: Passkey, name: string): void;
  onRemove(passkey: Passkey): void;
}

function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const [name, setName] = useState<string>();

  if (name !== undefined) {
    const submit = (event: FormEvent) => {
      event.preventDefault();
      setName(undefined);
      onRename(passkey, name.trim());
    };
    return (
      <li>
        <form className="inline" onSubmit={submit}>
          <label className="field">
            New name of {passkey.name}
            <input
              value={name}
              required
              pattern=".*\S.*"
              maxLength={100}
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          </label>
          <button type="submit">Save</button>
          <button type="button" className="quiet" onClick={() => setName(undefined)}>
            Cancel
          </button>
        </form>
      </li>
    );
  }

  return (
    <li>
      <span className="row-text">
        <span>{passkey.name}</span>
        <small>
          {passkey.isBarred
            ? 'Blocked: it may have been copied. Delete it and add a new one.'
            : `Added ${new Date(passkey.createdTime).toLocaleDateString()}`}
        </small>
      </span>
      <span className="row-actions">
        <button
          type="button"
          className="quiet"
          aria-label={`Rename ${passkey.name}`}
          onClick={() => setName(passkey.name)}
        >
          Rename
        </button>
        <button type="button" className="quiet" aria-label={`Delete ${passkey.name}`} onClick={() => onRemove(passkey)}>
          Delete
        </button>
      </span>
    </li>
  );
}

interface Passkey {
  id: string;
  name: string;
  createdTime: string;
  /** It may have been copied, and can no longer be used to sign in. */
  isBarred: boolean;
}

interface Passkeys {
  /** Undefined until they are read, and if the link that led here has no access to them. */
  passkeys: readonly Passkey[] | undefined;
  said: Said | undefined;
  add(name: string): Promise<void>;
  rename(passkey: Passkey, name: string): Promise<void>;
  remove(passkey: Passkey): Promise<void>;
}

function usePasskeys(call: Call): Passkeys {
  const [passkeys, setPasskeys] = useState<readonly Passkey[]>();
  const [said, say] = useState<Said>();
  const ask = useLatest();

  const refresh = useCallback(async () => {
    const isLatest = ask();
    const { items } = await call('GET /webauthn/credentials', {});
    if (!isLatest()) return;
    setPasskeys(
      items.map(({ id = '', name = 'Passkey', createdTime = '', suspicious = false }) => ({
        id,
        name,
        createdTime,
        isBarred: suspicious,
      })),
    );
  }, [call, ask]);

  useEffect(() => {
    refresh().catch((error: unknown) => {
      // A link that only allows linking wallets is not a failure.
      if (!(error instanceof ApiError)) say({ tone: 'bad', text: describeError(error) });
    });
  }, [refresh]);

  async function run(busy: string, good: string, work: () => Promise<unknown>): Promise<void> {
    say({ tone: 'busy', text: busy });
    try {
      await work();
      await refresh();
      say({ tone: 'good', text: good });
    } catch (error) {
      say({ tone: 'bad', text: describeError(error) });
    }
  }

  return {
    passkeys,
    said,
    add: (name) =>
      run('Follow the steps on your device …', `${name} was added. You can sign in with it now.`, () =>
        registerPasskey(call, name),
      ),
    rename: ({ id }, name) =>
      run('Renaming …', `It is called ${name} now.`, () =>
        call('PATCH /webauthn/credentials/{id}', { id, body: { name } }),
      ),
    remove: ({ id, name }) =>
      run('Deleting …', `${name} is deleted.`, () => call('DELETE /webauthn/credentials/{id}', { id })),
  };
}
