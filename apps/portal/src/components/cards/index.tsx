import Link from '@docusaurus/Link';
import type { ReactNode } from 'react';
import styles from './cards.module.css';

/** Links to further pages, side by side if there is room. */
export function Cards({ children }: { children: ReactNode }) {
  return <div className={styles.cards}>{children}</div>;
}

export function Card({ to, title, children }: { to: string; title: string; children: ReactNode }) {
  return (
    <div className={styles.card}>
      <Link className={styles.title} to={to}>
        {title}
      </Link>
      <div className={styles.text}>{children}</div>
    </div>
  );
}
