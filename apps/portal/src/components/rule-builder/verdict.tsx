import { useEffect, useState } from 'react';
import { checkRules, type Problem, type ReadRule } from './check-rules.ts';
import styles from './rule-builder.module.css';
import type { RuleField } from './rule-facts.ts';

interface Props {
  id: string;
  text: string;
  fields: Readonly<Record<string, RuleField>>;
}

const nothingRead: ReadRule = () => ({ problems: [], meaning: undefined });

/** The result of checking a rule against the schema and with the server's own reader. */
export function Verdict({ id, text, fields }: Props) {
  const reader = useReader();
  const { problems, notes, meanings } = checkRules(text, fields, reader.read ?? nothingRead);
  return (
    <div id={id} className={styles.verdict} data-good={problems.length === 0} aria-live="polite">
      <p className={styles.words}>
        <strong>{titleOf(problems.length, reader)}</strong> {meanings.join(' ')}
      </p>
      <List entries={problems} />
      <List entries={notes} />
      {reader.hasFailed ? (
        <p className={styles.note}>The server's code could not be loaded, so only the schema was checked.</p>
      ) : null}
    </div>
  );
}

function titleOf(problems: number, { read, hasFailed }: Reader): string {
  if (problems > 0) return problems === 1 ? 'One fault:' : `${problems} faults:`;
  if (hasFailed) return 'This matches the schema.';
  return read === undefined ? 'Checking …' : 'This rule is valid.';
}

function List({ entries }: { entries: readonly Problem[] }) {
  if (entries.length === 0) return null;
  return (
    <ul className={styles.list}>
      {entries.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          {path === '' ? null : <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

interface Reader {
  read: ReadRule | undefined;
  hasFailed: boolean;
}

/** The server's code is loaded after the form, because it is the larger part. */
function useReader(): Reader {
  const [reader, setReader] = useState<Reader>({ read: undefined, hasFailed: false });
  useEffect(() => {
    let isLeft = false;
    import('./read-by-server.ts').then(
      ({ readByServer }) => !isLeft && setReader({ read: readByServer, hasFailed: false }),
      () => !isLeft && setReader({ read: undefined, hasFailed: true }),
    );
    return () => {
      isLeft = true;
    };
  }, []);
  return reader;
}
