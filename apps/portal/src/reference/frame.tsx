import Link from '@docusaurus/Link';
import Layout from '@theme/Layout';
import type { ReactNode } from 'react';
import { tagPath } from '../../reference/addresses.ts';
import type { Section } from '../../reference/sections.ts';
import styles from './frame.module.css';
import { LiveDescription } from './live-description.tsx';

export type Menu = readonly { name: string; title: string; group: string; count: number }[];

interface Props {
  title: string;
  description: string;
  menu: Menu;
  current?: string;
  /** The operations of the current page, by part. */
  inside?: readonly Section<{ anchor: string; method: string; summary: string }>[];
  children: ReactNode;
}

/** The frame of every page of the reference: the menu of resources on the left, the status of the live server on top. */
export function Frame({ title, description, menu, current, inside = [], children }: Props) {
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
                  aria-current={name === current ? 'page' : undefined}
                >
                  {title} <span className={styles.count}>{count}</span>
                </Link>
                {name === current ? <Inside entries={inside} /> : null}
              </li>
            ))}
          </ul>
          <ShortMenu inside={inside} />
        </nav>
        <main className={styles.main}>
          <LiveDescription tag={current} />
          {children}
        </main>
      </div>
    </Layout>
  );
}

/** Shown on narrow screens instead: a link to the list of everything, and the operations of the page, folded. */
function ShortMenu({ inside }: { inside: NonNullable<Props['inside']> }) {
  return (
    <div className={styles.shortMenu}>
      <Link to="/apis/#resources">All resources</Link>
      {inside.flatMap(({ operations }) => operations).length > 1 ? (
        <details className={styles.fold}>
          <summary>Operations on this page</summary>
          <Inside entries={inside} />
        </details>
      ) : null}
    </div>
  );
}

/** The operations of a page; those of a long one are folded by part. */
function Inside({ entries }: { entries: NonNullable<Props['inside']> }) {
  const [first] = entries;
  if (first === undefined) return null;
  if (entries.length === 1) return <InsideList entries={first.operations} />;
  return (
    <ul className={styles.inside}>
      {entries.map(({ title, anchor, operations }) => (
        <li key={anchor}>
          <details className={styles.insidePart}>
            <summary>{title}</summary>
            <InsideList entries={operations} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function InsideList({ entries }: { entries: NonNullable<Props['inside']>[number]['operations'] }) {
  return (
    <ul className={styles.inside}>
      {entries.map(({ anchor, method, summary }) => (
        <li key={anchor}>
          <a className={styles.insideEntry} href={`#${anchor}`}>
            <Method name={method} /> {summary}
          </a>
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
