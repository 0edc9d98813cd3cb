import { type FormEvent, useId, useState } from 'react';
import styles from './live.module.css';
import { readAddress } from './server-address.ts';
import { chooseServer } from './store.ts';

interface Props {
  address: string;
  baseUrl: string;
  onChosen?: () => void;
}

/** The URL of the reader's own server. The choice lasts for the tab. */
export function ServerForm({ address, baseUrl, onChosen }: Props) {
  const [text, setText] = useState(address);
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readAddress(text, location.origin);
    if ('problem' in read) {
      setProblem(read.problem);
      return;
    }
    setProblem(undefined);
    onChosen?.();
    void chooseServer(read.address, baseUrl);
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <label htmlFor={id}>Address of your server</label>
      <div className={styles.row}>
        <input
          id={id}
          className={styles.input}
          type="url"
          inputMode="url"
          placeholder="http://127.0.0.1:3000"
          autoComplete="url"
          spellCheck={false}
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-note`}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className={styles.small}>
          Use it
        </button>
      </div>
      <p className={styles.note} id={`${id}-note`} data-problem={problem !== undefined} aria-live="polite">
        {problem ?? 'Stored in this tab only.'}
      </p>
    </form>
  );
}
