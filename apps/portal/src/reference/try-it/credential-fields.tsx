import { useState } from 'react';
import styles from './console.module.css';
import { type CredentialStore, credentialKinds, readerStore, useCredential } from './credential.ts';

interface Props {
  problem: string | undefined;
  id: string;
  store?: CredentialStore;
}

/** Which key or token is sent. It is stored for this tab only. */
export function CredentialFields({ problem, id, store = readerStore }: Props) {
  const credential = useCredential(store);
  const [isShown, setShown] = useState(false);
  return (
    <fieldset className={styles.group}>
      <legend>Credential</legend>
      <div className={styles.choices}>
        {store.kinds.map((kind) => (
          <label key={kind} className={styles.choice}>
            <input
              type="radio"
              name={`${id}-kind`}
              checked={credential.kind === kind}
              onChange={() => store.keep({ ...credential, kind })}
            />{' '}
            {credentialKinds[kind].label}
          </label>
        ))}
      </div>
      {credential.kind === 'none' ? null : (
        <div className={styles.field}>
          <label htmlFor={id}>{credentialKinds[credential.kind].label}</label>
          <div className={styles.row}>
            <input
              id={id}
              className={styles.input}
              type={isShown ? 'text' : 'password'}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={credential.secret}
              aria-invalid={problem !== undefined}
              aria-describedby={`${id}-note`}
              onChange={(event) => store.keep({ ...credential, secret: event.target.value })}
            />
            <button type="button" className={styles.quiet} aria-pressed={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? 'Hide' : 'Show'}
            </button>
            <button type="button" className={styles.quiet} onClick={store.forget}>
              Forget
            </button>
          </div>
          <p className={styles.note} id={`${id}-note`} data-problem={problem !== undefined}>
            {problem ?? 'Sent to your server only, and stored in this tab until you close it or press Forget.'}
          </p>
        </div>
      )}
    </fieldset>
  );
}
