import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Pages } from '../../shared/api/index.ts';
import { EmptyState, FilterBar, PagedList, Row, SearchField } from '../../shared/ui/index.ts';
import { type Status, StatusFilter, StatusState } from './statuses.tsx';

interface Reviewed {
  id?: string | undefined;
  name?: string | undefined;
  status: Status;
}

/** The filter of a review list. Initially it shows pending items. */
export function useReviewFilter() {
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<Status | undefined>('PENDING');
  const input = { ...(search !== '' && { search }), ...(status !== undefined && { status }) };
  return { search, setSearch, status, setStatus, input };
}

interface ReviewListParts<Item extends Reviewed> {
  filter: ReturnType<typeof useReviewFilter>;
  pages: Pages<Item>;
  /** In the plural. */
  what: string;
  /** One of them. */
  one: string;
  /** What the search covers. */
  searchLabel: string;
  action?: ReactNode;
  note(item: Item): ReactNode;
  onReview(item: Item): void;
}

/** A list of pending and decided reviews, each with its status. */
export function ReviewList<Item extends Reviewed>({
  filter: { search, setSearch, status, setStatus },
  pages,
  what,
  one,
  searchLabel,
  action,
  note,
  onReview,
}: ReviewListParts<Item>) {
  return (
    <Stack gap="md">
      <FilterBar>
        <SearchField label={searchLabel} value={search} onSearch={setSearch} />
        <StatusFilter value={status} onChange={setStatus} />
        {action}
      </FilterBar>
      <PagedList
        pages={pages}
        what={what}
        keyOf={({ id }) => id ?? ''}
        empty={
          status === 'PENDING' && search === '' ? (
            <EmptyState title="Nothing waits for you">
              New {what} appear here until you approve or reject them.
            </EmptyState>
          ) : (
            <EmptyState title={`No ${one} found`}>
              Search for the beginning of its name, or change the status.
            </EmptyState>
          )
        }
      >
        {(item) => (
          <Row
            title={item.name}
            states={<StatusState status={item.status} />}
            note={note(item)}
            actions={
              <Button variant="default" size="compact-sm" onClick={() => onReview(item)}>
                Review
              </Button>
            }
          />
        )}
      </PagedList>
    </Stack>
  );
}
