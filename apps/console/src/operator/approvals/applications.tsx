import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { usePages } from '../../shared/api/index.ts';
import { EmptyState, PagedList, Row, SearchField, Time } from '../../shared/ui/index.ts';
import { FilterBar } from '../rows.tsx';
import { CreateApplication } from './create-application.tsx';
import { type Application, ReviewApplication } from './review-application.tsx';
import { type Status, StatusFilter, StatusState } from './statuses.tsx';

export function Applications() {
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<Status | undefined>('PENDING');
  const [reviewed, setReviewed] = useState<Application>();
  const [isCreating, setIsCreating] = useState(false);
  const apps = usePages('GET /latchkey/operator/applications', {
    ...(search !== '' && { search }),
    ...(status !== undefined && { status }),
  });
  return (
    <Stack gap="md">
      <FilterBar>
        <SearchField label="Name, client id or owner" value={search} onSearch={setSearch} />
        <StatusFilter value={status} onChange={setStatus} />
        <Button variant="default" onClick={() => setIsCreating(true)}>
          Create application
        </Button>
      </FilterBar>
      <PagedList
        pages={apps}
        what="applications"
        keyOf={({ id }) => id ?? ''}
        empty={
          status === 'PENDING' && search === '' ? (
            <EmptyState title="Nothing waits for you">
              New applications appear here until you approve or reject them.
            </EmptyState>
          ) : (
            <EmptyState title="No application found">
              Search for the beginning of its name, or change the status.
            </EmptyState>
          )
        }
      >
        {(app) => (
          <Row
            title={app.name}
            states={<StatusState status={app.status} />}
            note={
              <>
                By {app.createdByName ?? app.createdById}
                {app.createdTime !== undefined && (
                  <>
                    , <Time at={app.createdTime} isRelative />
                  </>
                )}
                {app.url !== undefined && `, ${app.url}`}
              </>
            }
            actions={
              <Button variant="default" size="compact-sm" onClick={() => setReviewed(app)}>
                Review
              </Button>
            }
          />
        )}
      </PagedList>
      {reviewed !== undefined && <ReviewApplication app={reviewed} onClose={() => setReviewed(undefined)} />}
      {isCreating && <CreateApplication onClose={() => setIsCreating(false)} />}
    </Stack>
  );
}
