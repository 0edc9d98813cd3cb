import type { ReactNode } from 'react';
import styles from './ways.module.css';

/** Draws parts of the ways in, which bring no styles of their own, as the console is drawn. */
export function Ways({ children }: { children: ReactNode }) {
  return <div className={styles.ways}>{children}</div>;
}
