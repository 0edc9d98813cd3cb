import { Button, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Pages } from '../../shared/api/index.ts';
import { EmptyState, FilterBar, PagedList, Row, SearchField } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
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
  kind: 'application' | 'miniApp';
  action?: ReactNode;
  note(item: Item): ReactNode;
  onReview(item: Item): void;
}

/** A list of pending and decided reviews, each with its status. */
export function ReviewList<Item extends Reviewed>({
  filter: { search, setSearch, status, setStatus },
  pages,
  kind,
  action,
  note,
  onReview,
}: ReviewListParts<Item>) {
  return (
    <Stack gap="md">
      <FilterBar>
        <SearchField label={t('approvals.search', { kind })} value={search} onSearch={setSearch} />
        <StatusFilter value={status} onChange={setStatus} />
        {action}
      </FilterBar>
      <PagedList
        pages={pages}
        loading={t('approvals.loading', { kind })}
        more={t('approvals.more', { kind })}
        keyOf={({ id }) => id ?? ''}
        empty={
          status === 'PENDING' && search === '' ? (
            <EmptyState title={t('approvals.nothingTitle')}>{t('approvals.nothing', { kind })}</EmptyState>
          ) : (
            <EmptyState title={t('approvals.noneTitle', { kind })}>{t('approvals.none')}</EmptyState>
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
                {t('approvals.review')}
              </Button>
            }
          />
        )}
      </PagedList>
    </Stack>
  );
}
