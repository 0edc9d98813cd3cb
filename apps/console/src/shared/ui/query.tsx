import { ApiError } from '@latchkey/client';
import { Alert, Button, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { Unreachable } from '../../reach-server.ts';
import { describeError } from '../../say-error.ts';
import { type Pages, requestIdOf, SignedOut } from '../api/index.ts';
import { IconAlertTriangle, IconPlugConnectedX } from '../icons.ts';
import { t } from '../messages/index.ts';
import { describeRefusedFields } from '../refused-fields.ts';
import styles from './query.module.css';

const skeletonWidths = ['92%', '78%', '85%', '64%', '80%'];

const slowAfterMs = 8_000;

/** Appears only after a delay, so that quick responses do not flicker. After longer it says that it takes long. */
export function Loading({ text, lines = 3 }: { text: string; lines?: number }) {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsSlow(true), slowAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" className={styles.loading}>
      <span className={styles.words}>{text}</span>
      {isSlow && <span>{t('loading.slow')}</span>}
      {skeletonWidths.slice(0, lines).map((width) => (
        <Skeleton key={width} height={14} width={width} aria-hidden="true" />
      ))}
    </div>
  );
}

/** Shows what went wrong: the server's message, the code, and the request id for the operator's log. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  if (error === null || error === undefined) return null;
  const isAway = error instanceof Unreachable;
  const isRefused = error instanceof ApiError && error.status === 403;
  const fields = describeRefusedFields(error);
  const isInput = fields.length > 0;
  // What was typed needs no operator and no log, and the same request would be refused again.
  const id = isInput ? undefined : requestIdOf(error);
  const code = error instanceof ApiError && !isInput ? error.code : undefined;
  const title = isAway ? 'failure.offline' : isRefused ? 'failure.refused' : 'failure.other';
  return (
    <Alert
      role="alert"
      color={isAway ? 'yellow' : 'red'}
      title={t(isInput ? 'failure.fields' : title)}
      icon={isAway ? <IconPlugConnectedX /> : <IconAlertTriangle />}
    >
      {!isInput ? (
        <Text size="sm">{messageOf(error)}</Text>
      ) : (
        fields.map((sentence) => (
          <Text key={sentence} size="sm">
            {sentence}
          </Text>
        ))
      )}
      {(code !== undefined || id !== undefined) && (
        <Text size="xs" c="dimmed" mt={4}>
          {[code, id !== undefined && t('failure.request', { id })].filter(Boolean).join(' · ')}
        </Text>
      )}
      {onRetry !== undefined && isRefused && (
        <Button component="a" href="/console" size="compact-sm" variant="default" mt="xs">
          {t('common.goHome')}
        </Button>
      )}
      {onRetry !== undefined && !isRefused && !isInput && (
        <Button size="compact-sm" variant="default" mt="xs" onClick={onRetry}>
          {t('common.tryAgain')}
        </Button>
      )}
    </Alert>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof SignedOut) return error.message;
  if (error instanceof ApiError && error.status === 429 && error.retryAfterSeconds !== undefined)
    return t('failure.wait', { message: error.message, seconds: error.retryAfterSeconds });
  return describeError(error);
}

/** Shown for an empty list: says why, and what to do. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

interface QueryProps<Data> {
  read: UseQueryResult<Data>;
  /** What it says meanwhile: "Loading the rules …". */
  loading: string;
  lines?: number;
}

/** Shows the result of a read, or that it is loading, or why it failed. A later failure keeps the data that was read. */
export function Query<Data>({
  read,
  loading,
  lines = 3,
  children,
}: QueryProps<Data> & { children(data: Data): ReactNode }) {
  const retry = () => void read.refetch();
  if (read.data === undefined)
    return read.error === null ? (
      <Loading text={loading} lines={lines} />
    ) : (
      <Failure error={read.error} onRetry={retry} />
    );
  return (
    <>
      {read.error !== null && <Failure error={read.error} onRetry={retry} />}
      {children(read.data)}
    </>
  );
}

interface ListProps<Item> {
  empty?: ReactNode;
  keyOf(item: Item): string;
  children(item: Item): ReactNode;
}

/** A list that is read as a whole. */
export function QueryList<Item>({ empty, keyOf, children, ...query }: QueryProps<readonly Item[]> & ListProps<Item>) {
  return (
    <Query {...query}>
      {(items) => (
        <List items={items} keyOf={keyOf} empty={empty}>
          {children}
        </List>
      )}
    </Query>
  );
}

export function List<Item>({
  items,
  isBusy = false,
  empty = null,
  keyOf,
  children,
}: { items: readonly Item[]; isBusy?: boolean } & ListProps<Item>) {
  if (items.length === 0) return empty;
  return (
    <ul className={styles.rows} aria-busy={isBusy}>
      {items.map((item) => (
        <li key={keyOf(item)}>{children(item)}</li>
      ))}
    </ul>
  );
}

/** A paged list: its rows, its states, and the button that loads more. */
export function PagedList<Item>({
  pages,
  loading,
  more,
  ...list
}: ListProps<Item> & { pages: Pages<Item>; loading: string; more: string }) {
  if (pages.isLoading) return <Loading text={loading} />;
  if (pages.error !== null && pages.items.length === 0) return <Failure error={pages.error} onRetry={pages.retry} />;
  return (
    <>
      <List {...list} items={pages.items} isBusy={pages.isStale} />
      {pages.items.length > 0 && <More pages={pages} text={more} />}
    </>
  );
}

/** Loads the next page, for lists with their own layout. */
export function More({ pages, text }: { pages: Omit<Pages<unknown>, 'items'>; text: string }) {
  return (
    <>
      {pages.error !== null && <Failure error={pages.error} onRetry={pages.retry} />}
      {pages.hasMore && (
        <div className={styles.more}>
          <Button variant="default" loading={pages.isLoadingMore} onClick={pages.loadMore}>
            {text}
          </Button>
        </div>
      )}
    </>
  );
}
