import type { ReactNode } from 'react';
import styles from './row.module.css';

/** One line of a list: a picture, what it is, what there is to know, and what can be done with it. */
export function Row({
  picture,
  title,
  note,
  states,
  actions,
}: {
  picture?: ReactNode;
  title: ReactNode;
  note?: ReactNode;
  states?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className={styles.row}>
      {picture}
      <div className={styles.words}>
        <div className={styles.title}>
          <span className={styles.name}>{title}</span>
          {states}
        </div>
        {note !== undefined && <div className={styles.note}>{note}</div>}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
