import Link from '@docusaurus/Link';
import type { ListedTag } from '../../plugins/api-reference.ts';
import { operationPath } from '../../reference/addresses.ts';
import { Method } from './frame.tsx';
import { LiveMark } from './live/live-changes.tsx';
import styles from './reference.module.css';

/** The operations of a resource, each with a link to its page. */
export function OperationList({ tag, hasIds = false }: { tag: ListedTag; hasIds?: boolean }) {
  return (
    <ul className={styles.operations}>
      {tag.operations.map(({ id, anchor, method, path, summary }) => (
        <li key={anchor} id={hasIds ? anchor : undefined}>
          <Link className={styles.row} to={operationPath(tag.resource, id)}>
            <Method name={method} /> <code>{path}</code> <span className={styles.summary}>{summary}</span>{' '}
            <LiveMark method={method} path={path} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
