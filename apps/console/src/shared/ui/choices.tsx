import type { ReactNode } from 'react';
import styles from './choices.module.css';

/** Draws parts of the ways in, which bring no styles of their own, as the console is drawn. */
export function Choices({ children }: { children: ReactNode }) {
  return <div className={styles.ways}>{children}</div>;
}
