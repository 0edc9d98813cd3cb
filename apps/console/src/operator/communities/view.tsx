import { Button, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type ItemOf, useAction, useOperation, usePages } from '../../shared/api/index.ts';
import {
  Dialog,
  EmptyState,
  FilterBar,
  Form,
  Page,
  PagedList,
  Picture,
  Query,
  Row,
  SearchField,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';

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
              <EmptyState title="No community yet">Communities appear when an admin adds the bot.</EmptyState>
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
                  {platformName(community.platform)}, owner{' '}
                  {community.ownerId === '$admin' ? 'none (yours)' : community.ownerId}
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
        <Transfer communityId={handed.id} name={handed.name} onClose={() => setHanded(undefined)} />
      )}
      {timed !== undefined && <CheckPeriod id={timed.id} name={timed.name} onClose={() => setTimed(undefined)} />}
    </Page>
  );
}

/** Transfers a community to a new owner, for example when its last admin is gone. */
function Transfer({ communityId, name, onClose }: { communityId: string; name: string; onClose(): void }) {
  const transfer = useAction('POST /latchkey/operator/communities/{communityId}/transfer', {
    done: 'The community has a new owner.',
    changes: ['GET /latchkey/operator/communities'],
    onDone: onClose,
  });
  const form = useForm({ userId: '', reason: '' }, transfer.error);
  const [userId, reason] = [form.values.userId.trim(), form.values.reason.trim()];
  return (
    <Dialog title={`New owner for ${name}`} onClose={onClose}>
      <Form
        submit="Change owner"
        canSubmit={userId !== ''}
        action={transfer}
        onSubmit={() => transfer.run({ communityId, body: { userId, ...(reason !== '' && { reason }) } })}
        onCancel={onClose}
      >
        <Text size="sm">The chat platform is not asked. The community’s audit log shows what you did.</Text>
        <TextInput
          label="New owner"
          description="The id of a person, for example DIS#USER#123."
          required
          maxLength={128}
          {...form.text('userId')}
        />
        <TextInput label="Reason" description="For the audit log." maxLength={500} {...form.text('reason')} />
      </Form>
    </Dialog>
  );
}

const hourSeconds = 60 * 60;
const read = 'GET /latchkey/communities/{id}/settings' as const;

/** How often the members of a community are re-checked. */
function CheckPeriod({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const settings = useOperation(read, { id });
  const changes = [read, 'GET /latchkey/operator/communities'] as const;
  const [hours, setHours] = useState<number | string>('');
  const set = useAction('PATCH /latchkey/communities/{id}/settings', {
    done: 'Check period saved.',
    changes,
    onDone: onClose,
  });
  const reset = useAction('DELETE /latchkey/communities/{id}/settings/check-period', {
    done: 'The default period applies again.',
    changes,
    onDone: onClose,
  });
  return (
    <Dialog title={`Re-checks of ${name}`} onClose={onClose}>
      <Query read={settings} what="settings">
        {({ checkPeriodSeconds, isDefaultCheckPeriod, checksInBackground, nextCheckTime }) => (
          <Form
            submit="Save"
            canSubmit={typeof hours === 'number'}
            action={{ ...set, error: set.error ?? reset.error }}
            onSubmit={() => set.run({ id, body: { checkPeriodSeconds: Number(hours) * hourSeconds } })}
            buttons={
              !isDefaultCheckPeriod && (
                <Button variant="default" loading={reset.isRunning} onClick={() => reset.run({ id })}>
                  Use the default
                </Button>
              )
            }
          >
            <Text size="sm">
              Every member is re-checked every {checkPeriodSeconds / hourSeconds} hours
              {isDefaultCheckPeriod && ', the default of its plan'}.{' '}
              {!checksInBackground && 'Scheduled re-checks are off: the community is paused or has turned them off.'}
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
          </Form>
        )}
      </Query>
    </Dialog>
  );
}
