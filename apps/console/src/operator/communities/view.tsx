import { Button, Select, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ItemOf, usePages } from '../../shared/api/index.ts';
import { EmptyState, Page, PagedList, Picture, Row, SearchField, State, Time } from '../../shared/ui/index.ts';
import { FilterBar } from '../rows.tsx';
import { platformLabel } from '../say-platform.ts';
import { CheckPeriod } from './check-period.tsx';
import { Handoff } from './handoff.tsx';

type Community = ItemOf<'GET /latchkey/operator/communities'>;
const states = {
  active: ['good', 'Active'],
  paused: ['warn', 'Paused'],
  kicked: ['bad', 'Bot removed'],
} as const;
const statusOptions = Object.entries(states).map(([value, [, label]]) => ({ value, label }));

/** Every community of the installation. */
export function View() {
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<Community['status']>();
  const [handed, setHanded] = useState<Community>();
  const [timed, setTimed] = useState<Community>();
  const communities = usePages('GET /latchkey/operator/communities', {
    ...(search !== '' && { search }),
    ...(status !== undefined && { status }),
  });
  return (
    <Page title="Communities" lead="Every community of this server. Open one to see it as its admins do.">
      <Stack gap="md">
        <FilterBar>
          <SearchField label="Name or id" value={search} onSearch={setSearch} />
          <Select
            aria-label="Status"
            data={[{ value: '', label: 'All' }, ...statusOptions]}
            value={status ?? ''}
            allowDeselect={false}
            onChange={(chosen) =>
              setStatus(chosen === 'active' || chosen === 'paused' || chosen === 'kicked' ? chosen : undefined)
            }
          />
        </FilterBar>
        <PagedList
          pages={communities}
          what="communities"
          keyOf={({ id }) => id}
          empty={
            search === '' && status === undefined ? (
              <EmptyState title="No community yet">Communities appear when somebody adds the bot.</EmptyState>
            ) : (
              <EmptyState title="No community found">
                Search for the beginning of a name, or for the whole id.
              </EmptyState>
            )
          }
        >
          {(community) => (
            <Row
              picture={<Picture source={community.picture} name={community.name} />}
              title={
                <Link to="/communities/$communityId" params={{ communityId: community.id }}>
                  {community.name}
                </Link>
              }
              states={<State tone={states[community.status][0]}>{states[community.status][1]}</State>}
              note={
                <>
                  {platformLabel(community.platform)}, owner{' '}
                  {community.ownerId === '$admin' ? 'nobody (yours)' : community.ownerId}
                  {community.nextCheckTime !== undefined && (
                    <>
                      , next re-check <Time at={community.nextCheckTime} isRelative />
                    </>
                  )}
                </>
              }
              actions={
                <>
                  <Button variant="default" size="compact-sm" onClick={() => setTimed(community)}>
                    Re-checks
                  </Button>
                  <Button variant="default" size="compact-sm" onClick={() => setHanded(community)}>
                    Change owner
                  </Button>
                </>
              }
            />
          )}
        </PagedList>
      </Stack>
      {handed !== undefined && (
        <Handoff communityId={handed.id} name={handed.name} onClose={() => setHanded(undefined)} />
      )}
      {timed !== undefined && <CheckPeriod id={timed.id} name={timed.name} onClose={() => setTimed(undefined)} />}
    </Page>
  );
}
