import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconChevronRight } from '../icons.ts';
import { t } from '../messages/index.ts';
import waysStyles from './choices.module.css';
import styles from './page.module.css';

export interface Crumb {
  title: string;
  to: string;
}

interface PageParts {
  title: string;
  /** One sentence on what this page is for, if the title does not say it. */
  lead?: ReactNode;
  /** The main action of the page, and others. */
  actions?: ReactNode;
  /** The breadcrumbs. */
  crumbs?: readonly Crumb[];
  /** As wide as the window: for tables and builders. */
  isWide?: boolean;
  children: ReactNode;
}

/** The layout of every screen: one title, which gets the focus when the page is new, and its actions. */
export function Page({ title, lead, actions, crumbs = [], isWide = false, children }: PageParts) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Latchkey`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className={isWide ? styles.wide : styles.page}>
      {crumbs.length > 0 && (
        <nav aria-label={t('page.whereYouAre')} className={styles.crumbs}>
          {crumbs.map((crumb) => (
            <span key={crumb.to}>
              <Link to={crumb.to}>{crumb.title}</Link>
              <IconChevronRight size={14} />
            </span>
          ))}
        </nav>
      )}
      <header className={styles.head}>
        <div className={styles.words}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with its own heading. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <section className={styles.section}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h2>{title}</h2>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Styles components of the entry pages, which have no styles of their own, like the console. */
export function Choices({ children }: { children: ReactNode }) {
  return <div className={waysStyles.ways}>{children}</div>;
}
