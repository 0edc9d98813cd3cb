import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconDownload } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { EmptyState, Page, PagedList, Section, Time } from '../../shared/ui/index.ts';
import { CheckEverybody } from './check-everybody.tsx';
import { Exports } from './exports.tsx';
import { useFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { MemberRow } from './member-row.tsx';
import styles from './members.module.css';

const pageSize = 50;

export function View() {
  const { communityId } = useScreenParams('communityId');
  const [filter, change] = useFilter();
  const [isExporting, setIsExporting] = useState(false);
  const members = usePages('GET /latchkey/communities/{communityId}/members', {
    communityId,
    ...filter,
    limit: pageSize,
  });
  const roles = useOperation('GET /latchkey/communities/{communityId}/member-roles', { communityId });
  useLive({ communityId });
  const roleName = (roleId: string) => roles.data?.find((role) => role.roleId === roleId)?.roleName ?? `role ${roleId}`;
  // What was typed goes with the filter.
  const [resets, setResets] = useState(0);
  const showEverybody = () => {
    change(everything);
    setResets(resets + 1);
  };
  const isFiltered = Object.keys(filter).some((key) => key !== 'order');
  return (
    <Page
      title="Members"
      lead="Everybody Latchkey knows in this community. Open a member to see why they have a role, or why not."
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden="true" />}
            onClick={() => setIsExporting(true)}
          >
            Export
          </Button>
          <CheckEverybody communityId={communityId} />
        </>
      }
    >
      <ListState communityId={communityId} />
      <Section title="Find members">
        <Filters key={resets} filter={filter} roles={roles.data ?? []} onChange={change} />
        <PagedList
          pages={members}
          what="members"
          keyOf={({ userId }) => userId}
          empty={
            isFiltered ? (
              <EmptyState
                title="Nobody matches"
                action={
                  <Button variant="default" onClick={showEverybody}>
                    Show everybody
                  </Button>
                }
              >
                Check the spelling, or take a filter away.
              </EmptyState>
            ) : (
              <EmptyState title="No members yet">
                Members appear when the bot has joined the community and read its members, which takes a few minutes.
              </EmptyState>
            )
          }
        >
          {(member) => <MemberRow communityId={communityId} member={member} />}
        </PagedList>
      </Section>
      {isExporting && (
        <Exports communityId={communityId} filter={filter} roleName={roleName} onClose={() => setIsExporting(false)} />
      )}
    </Page>
  );
}

const everything = {
  search: undefined,
  roleIds: undefined,
  roleMatch: undefined,
  hasWallet: undefined,
  hasGuestPass: undefined,
};

/** When the platform was last read, and whether it showed everybody. */
function ListState({ communityId }: { communityId: string }) {
  const { data } = useOperation('GET /latchkey/communities/{communityId}/member-list', { communityId });
  if (data?.listedTime === undefined) return null;
  if (data.isComplete === false)
    return (
      <Alert color="yellow" title="Not every member is listed">
        {data.reason ?? 'The platform shows only some members of this community.'} Members who are missing keep their
        roles.
      </Alert>
    );
  return (
    <p className={styles.count}>
      {(data.listed ?? 0).toLocaleString()} members and bots, read <Time at={data.listedTime} isRelative />
    </p>
  );
}
