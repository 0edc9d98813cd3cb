import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Loading } from '../../shared/ui/index.ts';
import styles from './me.module.css';

/** A short list that is read as a whole: its rows, its states, and what went wrong with one of them. */
export function Rows<Item>({
  query: { data, error, isLoading, refetch },
  what,
  keyOf,
  error: problem,
  empty,
  children,
}: {
  query: UseQueryResult<readonly Item[]>;
  what: string;
  keyOf(item: Item): string;
  error?: unknown;
  empty: ReactNode;
  children(item: Item): ReactNode;
}) {
  if (isLoading) return <Loading what={what} lines={2} />;
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {data.length === 0 ? (
        empty
      ) : (
        <ul className={styles.rows}>
          {data.map((item) => (
            <li key={keyOf(item)}>{children(item)}</li>
          ))}
        </ul>
      )}
      <Failure error={problem} />
    </>
  );
}
