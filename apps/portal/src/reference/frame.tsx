import Link from '@docusaurus/Link';
import Layout from '@theme/Layout';
import type { ReactNode } from 'react';
import type { ListedTag } from '../../plugins/api-reference.ts';
import { operationPath, tagPath } from '../../reference/addresses.ts';
import styles from './frame.module.css';
import { LiveDescription } from './live-description.tsx';

export type Menu = readonly { name: string; title: string; group: string; count: number }[];

interface Props {
  title: string;
  description: string;
  menu: Menu;
  current?: string | undefined;
  /** The resource that the menu shows the operations of. */
  tag?: ListedTag;
  /** The operation that the page is about. */
  operationId?: string;
  children: ReactNode;
}

/** The frame of every page of the reference: the menu of resources on the left, the status of the live server on top. */
export function Frame({ title, description, menu, current, tag, operationId, children }: Props) {
  const inside = tag === undefined ? null : <Inside tag={tag} current={operationId} />;
  return (
    <Layout title={title} description={description} wrapperClassName={styles.wrapper ?? ''}>
      <div className={styles.frame}>
        <nav className={styles.menu} aria-label="API resources">
          <ul className={styles.list}>
            <li>
              <Link className={styles.entry} to="/apis/" data-current={current === undefined}>
                Overview
              </Link>
            </li>
            {menu.map(({ name, title, group, count }, index) => (
              <li key={name}>
                {group === menu[index - 1]?.group ? null : <p className={styles.group}>{group}</p>}
                <Link
                  className={styles.entry}
                  to={tagPath(name)}
                  data-current={name === current}
                  aria-current={name === current && operationId === undefined ? 'page' : undefined}
                >
                  {title} <span className={styles.count}>{count}</span>
                </Link>
                {name === current ? inside : null}
              </li>
            ))}
          </ul>
          <ShortMenu count={tag?.operations.length ?? 0}>{inside}</ShortMenu>
        </nav>
        <main className={styles.main}>
          <LiveDescription tag={tag?.resource ?? current} operationId={operationId} />
          {children}
        </main>
      </div>
    </Layout>
  );
}

/** Shown on narrow screens instead: a link to the list of everything, and the operations of the resource, folded. */
function ShortMenu({ count, children }: { count: number; children: ReactNode }) {
  return (
    <div className={styles.shortMenu}>
      <Link to="/apis/#resources">All resources</Link>
      {count > 1 ? (
        <details className={styles.fold}>
          <summary>Operations of this resource</summary>
          {children}
        </details>
      ) : null}
    </div>
  );
}

function Inside({ tag: { resource, operations }, current }: { tag: ListedTag; current: string | undefined }) {
  return (
    <ul className={styles.inside}>
      {operations.map(({ id, method, summary }) => (
        <li key={id}>
          <Link
            className={styles.insideEntry}
            to={operationPath(resource, id)}
            aria-current={id === current ? 'page' : undefined}
          >
            <Method name={method} /> {summary}
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function Method({ name }: { name: string }) {
  return (
    <span className={styles.method} data-method={name}>
      {name}
    </span>
  );
}
