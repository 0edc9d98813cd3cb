import { ApiError } from '@latchkey/client';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Call } from '../api.ts';
import { t } from '../messages/index.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Status, type StatusMessage } from '../parts/status.tsx';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';
import { knowsPasskeys, registerPasskey } from './ceremonies.ts';

const longestName = 100;

interface PasskeySectionProps {
  call: Call;
  /** Whether the page is a Mini App, which no other browser can open. */
  isInTelegram?: boolean;
}

export function PasskeySection({ call, isInTelegram = false }: PasskeySectionProps) {
  const { passkeys, status: reply, add, rename, remove } = usePasskeys(call);
  const [name, setName] = useState(t('passkeys.thisDevice'));
  const [leaving, setLeaving] = useState<Passkey>();
  const title = useRef<HTMLHeadingElement>(null);
  if (passkeys === undefined && reply === undefined) return null;

  function submit(event: FormEvent): void {
    event.preventDefault();
    void add(name.trim());
  }

  return (
    <section className="card" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title" ref={title} tabIndex={-1}>
        {t('passkeys.title')}
      </h2>
      <p>{t('passkeys.about')}</p>
      {passkeys !== undefined && passkeys.length > 0 && (
        <ul className="rows">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRename={rename} onRemove={setLeaving} />
          ))}
        </ul>
      )}
      <Status status={reply} />
      {knowsPasskeys() ? (
        <form className="inline" onSubmit={submit}>
          <label className="field">
            {t('passkeys.newName')}
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
            {t('passkeys.add')}
          </button>
        </form>
      ) : (
        <p className="hint">
          {t('passkeys.wrongBrowser')} {!isInTelegram && t('passkeys.open')}
        </p>
      )}
      {leaving && (
        <Confirm
          title={t('passkeys.deleteTitle', { name: leaving.name })}
          yes={t('passkeys.delete')}
          onYes={() => {
            setLeaving(undefined);
            title.current?.focus();
            void remove(leaving);
          }}
          onNo={() => setLeaving(undefined)}
        >
          <p>{t('passkeys.deleteAbout')}</p>
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
            {t('passkeys.newNameOf', { name: passkey.name })}
            <input
              value={name}
              required
              pattern=".*\S.*"
              maxLength={100}
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          </label>
          <button type="submit">{t('action.save')}</button>
          <button type="button" className="quiet" onClick={() => setName(undefined)}>
            {t('action.cancel')}
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
            ? t('passkeys.blocked')
            : t('passkeys.added', { date: t.date(new Date(passkey.createdTime)) })}
        </small>
      </span>
      <span className="row-actions">
        <button
          type="button"
          className="quiet"
          aria-label={t('passkeys.renameOne', { name: passkey.name })}
          onClick={() => setName(passkey.name)}
        >
          {t('passkeys.rename')}
        </button>
        <button
          type="button"
          className="quiet"
          aria-label={t('passkeys.deleteOne', { name: passkey.name })}
          onClick={() => onRemove(passkey)}
        >
          {t('passkeys.delete')}
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
  status: StatusMessage | undefined;
  add(name: string): Promise<void>;
  rename(passkey: Passkey, name: string): Promise<void>;
  remove(passkey: Passkey): Promise<void>;
}

function usePasskeys(call: Call): Passkeys {
  const [passkeys, setPasskeys] = useState<readonly Passkey[]>();
  const [reply, say] = useState<StatusMessage>();
  const ask = useLatest();

  const refresh = useCallback(async () => {
    const isLatest = ask();
    const { items } = await call('GET /webauthn/credentials', {});
    if (!isLatest()) return;
    setPasskeys(
      items.map(({ id = '', name = t('login.passkey'), createdTime = '', suspicious = false }) => ({
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
    status: reply,
    add: (name) => run(t('login.onDevice'), t('passkeys.addedNow', { name }), () => registerPasskey(call, name)),
    rename: ({ id }, name) =>
      run(t('passkeys.renaming'), t('passkeys.renamed', { name }), () =>
        call('PATCH /webauthn/credentials/{id}', { id, body: { name } }),
      ),
    remove: ({ id, name }) =>
      run(t('passkeys.deleting'), t('passkeys.deleted', { name }), () =>
        call('DELETE /webauthn/credentials/{id}', { id }),
      ),
  };
}
