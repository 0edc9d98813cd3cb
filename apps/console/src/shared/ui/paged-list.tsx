import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Pages } from '../api/index.ts';
import { Failure } from './failure.tsx';
import { Loading } from './loading.tsx';
import styles from './paged-list.module.css';

interface ListParts<Item> {
  pages: Pages<Item>;
  /** What the items are, in the plural: "members". */
  what: string;
  empty: ReactNode;
  keyOf(item: Item): string;
  children(item: Item): ReactNode;
}

/** A list that the server pages: its rows, its states, and the way to more of it. */
export function PagedList<Item>({ pages, what, empty, keyOf, children }: ListParts<Item>) {
  if (pages.isLoading) return <Loading what={what} />;
  if (pages.error !== null && pages.items.length === 0) return <Failure error={pages.error} onRetry={pages.retry} />;
  if (pages.items.length === 0) return empty;
  return (
    <>
      <ul className={styles.rows} aria-busy={pages.isStale}>
        {pages.items.map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
      <More pages={pages} what={what} />
    </>
  );
}

/** The way to the next page of a list, for lists that are drawn in another way. */
export function More({ pages, what }: { pages: Omit<Pages<unknown>, 'items'>; what: string }) {
  return (
    <>
      {pages.error !== null && <Failure error={pages.error} onRetry={pages.retry} />}
      {pages.hasMore && (
        <div className={styles.more}>
          <Button variant="default" loading={pages.isLoadingMore} onClick={pages.loadMore}>
            Load more {what}
          </Button>
        </div>
      )}
    </>
  );
}
