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
import { t } from '../messages/index.ts';

type Community = ItemOf<'GET /latchkey/operator/communities'>;
const tones = { active: 'good', paused: 'warn', kicked: 'bad' } as const;
const statuses = ['active', 'paused', 'kicked'] as const;

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
    <Page title={t('communities.title')} lead={t('communities.lead')}>
      <Stack gap="md">
        <FilterBar>
          <SearchField label={t('communities.search')} value={search} onSearch={setSearch} />
          <Select
            aria-label={t('common.status')}
            data={[
              { value: '', label: t('common.all') },
              ...statuses.map((value) => ({ value, label: t(`communities.${value}`) })),
            ]}
            value={status ?? ''}
            allowDeselect={false}
            onChange={(chosen) => setStatus(statuses.find((one) => one === chosen))}
          />
        </FilterBar>
        <PagedList
          pages={communities}
          loading={t('communities.loading')}
          more={t('communities.more')}
          keyOf={({ id }) => id}
          empty={
            search === '' && status === undefined ? (
              <EmptyState title={t('communities.emptyTitle')}>{t('communities.empty')}</EmptyState>
            ) : (
              <EmptyState title={t('communities.noneTitle')}>{t('communities.none')}</EmptyState>
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
              states={<State tone={tones[community.status]}>{t(`communities.${community.status}`)}</State>}
              note={
                <>
                  {sayOwner(community)}
                  {community.nextCheckTime !== undefined && (
                    <>
                      ,{' '}
                      {t.rich('communities.nextCheck', {
                        time: <Time key="time" at={community.nextCheckTime} isRelative />,
                      })}
                    </>
                  )}
                </>
              }
              actions={
                <>
                  <Button variant="default" size="compact-sm" onClick={() => setTimed(community)}>
                    {t('communities.checks')}
                  </Button>
                  <Button variant="default" size="compact-sm" onClick={() => setHanded(community)}>
                    {t('communities.changeOwner')}
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

function sayOwner({ platform: name, ownerId }: Community): string {
  const platform = platformName(name);
  if (ownerId === '$admin') return t('communities.noOwner', { platform });
  return t('communities.owner', { platform, owner: ownerId });
}

/** Transfers a community to a new owner, for example when its last admin is gone. */
function Transfer({ communityId, name, onClose }: { communityId: string; name: string; onClose(): void }) {
  const transfer = useAction('POST /latchkey/operator/communities/{communityId}/transfer', {
    done: t('transfer.done'),
    changes: ['GET /latchkey/operator/communities'],
    onDone: onClose,
  });
  const form = useForm({ userId: '', reason: '' }, transfer.error);
  const [userId, reason] = [form.values.userId.trim(), form.values.reason.trim()];
  return (
    <Dialog title={t('transfer.title', { name })} onClose={onClose}>
      <Form
        submit={t('communities.changeOwner')}
        canSubmit={userId !== ''}
        action={transfer}
        onSubmit={() => transfer.run({ communityId, body: { userId, ...(reason !== '' && { reason }) } })}
        onCancel={onClose}
      >
        <Text size="sm">{t('transfer.lead')}</Text>
        <TextInput
          label={t('transfer.owner')}
          description={t('transfer.ownerHint')}
          required
          maxLength={128}
          {...form.text('userId')}
        />
        <TextInput
          label={t('common.reason')}
          description={t('common.forAuditLog')}
          maxLength={500}
          {...form.text('reason')}
        />
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
    done: t('checkPeriod.saved'),
    changes,
    onDone: onClose,
  });
  const reset = useAction('DELETE /latchkey/communities/{id}/settings/check-period', {
    done: t('checkPeriod.reset'),
    changes,
    onDone: onClose,
  });
  return (
    <Dialog title={t('checkPeriod.title', { name })} onClose={onClose}>
      <Query read={settings} loading={t('checkPeriod.loading')}>
        {({ checkPeriodSeconds, isDefaultCheckPeriod, checksInBackground, nextCheckTime }) => (
          <Form
            submit={t('checkPeriod.save')}
            canSubmit={typeof hours === 'number'}
            action={{ ...set, error: set.error ?? reset.error }}
            onSubmit={() => set.run({ id, body: { checkPeriodSeconds: Number(hours) * hourSeconds } })}
            buttons={
              !isDefaultCheckPeriod && (
                <Button variant="default" loading={reset.isRunning} onClick={() => reset.run({ id })}>
                  {t('checkPeriod.useDefault')}
                </Button>
              )
            }
          >
            <Text size="sm">
              {t(isDefaultCheckPeriod ? 'checkPeriod.everyByDefault' : 'checkPeriod.every', {
                hours: checkPeriodSeconds / hourSeconds,
              })}{' '}
              {!checksInBackground && t('checkPeriod.off')}
              {checksInBackground &&
                nextCheckTime !== undefined &&
                t.rich('checkPeriod.next', { time: <Time key="time" at={nextCheckTime} /> })}
            </Text>
            <NumberInput
              label={t('checkPeriod.hours')}
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
