import Link from '@docusaurus/Link';
import { operationPath } from '../../../reference/addresses.ts';
import type { OperationChange } from '../../../reference/compare.ts';
import { inlineCode } from '../inline-code.ts';
import styles from './live.module.css';
import { useLive } from './store.ts';

const titles = { new: 'New', gone: 'Gone', changed: 'Changed' } as const;
const kinds = ['new', 'gone', 'changed'] as const;

interface Props {
  changes: readonly OperationChange[];
  tag: string | undefined;
  operationId: string | undefined;
}

/** Where the server differs: on the page of an operation or a resource its own, on the index all. */
export function LiveChanges({ changes, tag, operationId }: Props) {
  if (changes.length === 0) return null;
  const here = changes.filter(
    (change) => (tag === undefined || change.tag === tag) && (operationId === undefined || change.id === operationId),
  );
  const elsewhere = changes.length - here.length;
  return (
    <details className={styles.changes}>
      <summary>
        {changes.length === 1 ? 'One operation differs' : `${changes.length} operations differ`} on that server
        {tag === undefined ? '' : `, ${here.length} of them on this page`}
      </summary>
      {kinds.map((kind) => {
        const some = here.filter((change) => change.kind === kind);
        return some.length === 0 ? null : (
          <section key={kind} aria-label={`${titles[kind]} operations`}>
            <p className={styles.kind}>{titles[kind]}</p>
            <ul className={styles.list}>
              {some.map((change) => (
                <li key={`${change.method} ${change.path}`}>
                  <Name change={change} />
                  <Words words={change.words} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {elsewhere === 0 ? null : (
        <p className={styles.note}>
          The others are listed on the <Link to="/apis/">overview</Link>.
        </p>
      )}
    </details>
  );
}

/** Operations that are new on the server are not on these pages yet. */
function Name({ change: { kind, tag, id, method, path, summary } }: { change: OperationChange }) {
  const name = (
    <code>
      {method} {path}
    </code>
  );
  return (
    <>
      {kind === 'new' ? name : <Link to={operationPath(tag, id)}>{name}</Link>} {summary}
    </>
  );
}

function Words({ words }: { words: readonly string[] }) {
  if (words.length === 0) return null;
  return (
    <ul className={styles.words}>
      {words.map((sentence) => (
        <li key={sentence}>{inlineCode(sentence)}</li>
      ))}
    </ul>
  );
}

/** Shown beside an operation that the server describes differently. */
export function LiveMark({ method, path }: { method: string; path: string }) {
  const live = useLive();
  if (live.kind !== 'loaded') return null;
  const change = live.changes.find((one) => one.method === method && one.path === path);
  if (change === undefined) return null;
  return (
    <span className={styles.mark} title={change.words.join(' ')}>
      {change.kind === 'gone' ? 'not on your server' : 'changed on your server'}
    </span>
  );
}
