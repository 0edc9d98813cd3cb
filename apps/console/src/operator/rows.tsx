import type { ReactNode } from 'react';
import styles from './rows.module.css';

/** Lines of a list that comes whole. */
export function Rows<Item>({
  items,
  keyOf,
  children,
}: {
  items: readonly Item[];
  keyOf(item: Item): string;
  children(item: Item): ReactNode;
}) {
  return (
    <ul className={styles.rows}>
      {items.map((item) => (
        <li key={keyOf(item)}>{children(item)}</li>
      ))}
    </ul>
  );
}

/** A search field and filters above a list. */
export function FilterBar({ children }: { children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>;
}

/** A few numbers, each with what it counts. */
export function Stats({ stats }: { stats: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.stats}>
      {stats.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
