import { Skeleton } from '@mantine/core';
import styles from './loading.module.css';

const rows = ['92%', '78%', '85%', '64%', '80%'];

/** Stands where something is on its way. It appears only after a moment, so that quick answers do not flicker. */
export function Loading({ what, lines = 3 }: { what: string; lines?: number }) {
  return (
    <div role="status" className={styles.loading}>
      <span className={styles.words}>Loading {what} …</span>
      {rows.slice(0, lines).map((width) => (
        <Skeleton key={width} height={14} width={width} aria-hidden="true" />
      ))}
    </div>
  );
}
