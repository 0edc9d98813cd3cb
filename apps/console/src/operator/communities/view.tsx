import { Button, Group, Modal, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type ItemOf, useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { EmptyState, Failure, Page, PagedList, Picture, Row, SearchField, State, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { FilterBar } from '../rows.tsx';
import { platformLabel } from '../say-platform.ts';

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

/** Gives a community to somebody, for example when its last admin is gone. */
function Handoff({ communityId, name, onClose }: { communityId: string; name: string; onClose(): void }) {
  const [userId, setUserId] = useState('');
  const [reason, setReason] = useState('');
  const handoff = useAction('POST /latchkey/operator/communities/{communityId}/transfer', {
    changes: ['GET /latchkey/operator/communities'],
    onDone: onClose,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    handoff.run({
      communityId,
      body: { userId: userId.trim(), ...(reason.trim() !== '' && { reason: reason.trim() }) },
    });
  };
  return (
    <Modal opened onClose={onClose} title={`New owner for ${name}`} data-dialog-open>
      <form onSubmit={send}>
        <Stack gap="md">
          <Text size="sm">The chat platform is not asked. The community’s audit log shows what you did.</Text>
          <TextInput
            label="New owner"
            description="The id of a person, for example DIS#USER#123."
            required
            maxLength={128}
            value={userId}
            onChange={(event) => setUserId(event.currentTarget.value)}
          />
          <TextInput
            label="Reason"
            description="For the audit log."
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Failure error={handoff.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={handoff.isRunning} disabled={userId.trim() === ''}>
              Change owner
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const hourSeconds = 60 * 60;
const read = 'GET /latchkey/communities/{id}/settings' as const;

/** How often the members of a community are re-checked. */
function CheckPeriod({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const settings = useOperation(read, { id });
  const changes = [read, 'GET /latchkey/operator/communities'] as const;
  const [hours, setHours] = useState<number | string>('');
  const set = useAction('PATCH /latchkey/communities/{id}/settings', { changes, onDone: onClose });
  const reset = useAction('DELETE /latchkey/communities/{id}/settings/check-period', { changes, onDone: onClose });
  return (
    <Modal opened onClose={onClose} title={`Re-checks of ${name}`} data-dialog-open>
      <Answered read={settings} what="settings">
        {({ checkPeriodSeconds, isDefaultCheckPeriod, checksInBackground, nextCheckTime }) => (
          <Stack gap="md">
            <Text size="sm">
              Every member is re-checked every {checkPeriodSeconds / hourSeconds} hours
              {isDefaultCheckPeriod && ', the default of its plan'}.{' '}
              {!checksInBackground && 'Scheduled re-checks are off: the community is paused, or does not want them.'}
              {checksInBackground && nextCheckTime !== undefined && (
                <>
                  Next: <Time at={nextCheckTime} />
                </>
              )}
            </Text>
            <NumberInput
              label="Hours between re-checks"
              min={1}
              allowDecimal={false}
              allowNegative={false}
              value={hours}
              onChange={setHours}
            />
            <Failure error={set.error ?? reset.error} />
            <Group justify="flex-end" gap="xs">
              {!isDefaultCheckPeriod && (
                <Button variant="default" loading={reset.isRunning} onClick={() => reset.run({ id })}>
                  Use the default
                </Button>
              )}
              <Button
                loading={set.isRunning}
                disabled={typeof hours !== 'number'}
                onClick={() => set.run({ id, body: { checkPeriodSeconds: Number(hours) * hourSeconds } })}
              >
                Save
              </Button>
            </Group>
          </Stack>
        )}
      </Answered>
    </Modal>
  );
}
