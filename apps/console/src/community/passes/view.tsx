import { Button, MultiSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Fragment, useState } from 'react';
import { type Answer, useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.ts';
import { MemberField, roleOptions } from '../../shared/parts/member-field.tsx';
import { RoleName } from '../../shared/role-name.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmButton,
  Dialog,
  EmptyState,
  Failure,
  Form,
  Page,
  PagedList,
  Query,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './passes.module.css';

const list = 'GET /discord/{guildId}/guest-passes';
type Pass = Answer<typeof list>[number];

export function View() {
  const { communityId } = useScreenParams('communityId');
  const passes = useOperation(list, { guildId: communityId });
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Page
      title={t('passes.title')}
      lead={t('passes.lead')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setIsMaking(true)}>
          {t('passes.new')}
        </Button>
      }
    >
      <Query read={passes} loading={t('passes.loading')}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('passes.emptyTitle')}>{t('passes.empty')}</EmptyState>
          ) : (
            all.map((pass) => <PassSection key={pass.id} communityId={communityId} pass={pass} />)
          )
        }
      </Query>
      <NewPass communityId={communityId} isOpen={isMaking} onClose={() => setIsMaking(false)} />
    </Page>
  );
}

function PassSection({ communityId, pass }: { communityId: string; pass: Pass }) {
  const { id = '', name = t('common.guestPass'), description, roleSet = [], period = 0, status } = pass;
  const remove = useAction('DELETE /discord/{guildId}/guest-passes/{passId}', {
    done: t('passes.deleted'),
    changes: [list],
  });
  return (
    <Section
      title={name}
      lead={description}
      actions={
        <>
          {status !== 'active' && <State>{t('passes.inactive')}</State>}
          <ConfirmButton
            label={t('common.delete')}
            look={{ size: 'xs' }}
            title={t('passes.deleteTitle', { name })}
            yes={t('passes.delete')}
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ guildId: communityId, passId: id })}
          >
            {t('passes.deleteNote')}
          </ConfirmButton>
        </>
      }
    >
      <p className={styles.facts}>
        {t.rich('passes.gives', {
          roles: roleSet.map(({ id: roleId, name: roleName = t('passes.aRole'), color }, index) => (
            <Fragment key={roleId ?? index}>
              {index > 0 && ', '}
              <RoleName name={roleName} color={color} />
            </Fragment>
          )),
          ...inLargestUnit(period),
        })}
      </p>
      <Holders communityId={communityId} passId={id} />
      {status === 'active' && <GivePass communityId={communityId} passId={id} name={name} />}
    </Section>
  );
}

const units = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
] as const;

/** A duration in the largest unit of which it is a whole number: 30 days. */
function inLargestUnit(seconds: number): { unit: string; amount: number } {
  const [unit, size] =
    units.find(([, length]) => seconds >= length && seconds % length === 0) ?? (['second', 1] as const);
  return { unit, amount: Math.round(seconds / size) };
}

/** Finds a member by name and grants them the pass. */
function GivePass({ communityId, passId, name }: { communityId: string; passId: string; name: string }) {
  const [userId, setUserId] = useState<string>();
  const give = useAction('PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}', {
    done: t('passes.given'),
    changes: [holders],
    onDone: () => setUserId(undefined),
  });
  return (
    <Form
      isInline
      isQuiet
      submit={t('passes.give')}
      canSubmit={userId !== undefined}
      action={give}
      onSubmit={() => userId !== undefined && give.run({ communityId, passId, userId })}
    >
      <MemberField
        communityId={communityId}
        label={t('passes.giveTo', { name })}
        className={styles.field}
        value={userId}
        onChange={setUserId}
      />
    </Form>
  );
}

const daySeconds = 24 * 60 * 60;

/** Creates a pass. What was typed stays if that fails. */
function NewPass({ communityId, isOpen, onClose }: { communityId: string; isOpen: boolean; onClose(): void }) {
  const roles = useOperation(
    'GET /latchkey/communities/{communityId}/chat-roles',
    { communityId },
    { enabled: isOpen },
  );
  const items = roles.data?.items ?? [];
  const create = useAction('POST /discord/{guildId}/guest-passes', {
    done: t('passes.created'),
    changes: [list],
    onDone: () => {
      form.reset();
      onClose();
    },
  });
  const form = useForm(
    { name: '', description: '', roleIds: [] as string[], days: 30 as number | string },
    create.error,
  );
  const { name, description, roleIds, days } = form.values;
  const submit = () =>
    create.run({
      guildId: communityId,
      body: {
        name: name.trim(),
        roleSet: items
          .filter(({ id }) => roleIds.includes(id))
          .map(({ id, name: roleName, color }) => ({ id, name: roleName, ...(color !== undefined && { color }) })),
        period: Number(days) * daySeconds,
        ...(description.trim() !== '' && { description: description.trim() }),
      },
    });
  return (
    <Dialog isOpen={isOpen} title={t('passes.newTitle')} onClose={onClose}>
      <Form
        submit={t('passes.create')}
        canSubmit={name.trim() !== '' && roleIds.length > 0 && Number(days) >= 1}
        action={create}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextInput label={t('common.name')} required maxLength={200} {...form.text('name')} />
        <Textarea label={t('passes.purpose')} maxLength={2000} {...form.text('description')} />
        <MultiSelect
          label={t('passes.roles')}
          required
          searchable
          data={roleOptions(items)}
          {...form.choice('roleIds')}
        />
        <NumberInput label={t('passes.days')} required min={1} max={3650} {...form.choice('days')} />
        <Failure error={roles.error} onRetry={() => void roles.refetch()} />
      </Form>
    </Dialog>
  );
}

const holders = 'GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders';

/** The holders of a pass, when it expires, and a button to end it early. */
function Holders({ communityId, passId }: { communityId: string; passId: string }) {
  const pages = usePages(holders, { communityId, passId });
  const end = useAction('DELETE /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}', {
    done: t('passes.ended'),
    changes: [holders],
  });
  return (
    <>
      <PagedList
        pages={pages}
        loading={t('passes.loadingHolders')}
        more={t('passes.moreHolders')}
        keyOf={({ userId }) => userId}
        empty={<p className={styles.facts}>{t('passes.noHolders')}</p>}
      >
        {({ userId, userName, endsTime, problem }) => (
          <Row
            title={userName ?? t('common.aMember')}
            note={
              <>
                {t.rich('passes.until', { time: <Time key="time" at={endsTime} /> })}
                {problem !== undefined && ` · ${problem}`}
              </>
            }
            actions={
              <Button
                size="xs"
                variant="default"
                loading={end.isRunning}
                onClick={() => end.run({ communityId, passId, userId })}
              >
                {t('passes.endNow')}
              </Button>
            }
          />
        )}
      </PagedList>
      <Failure error={end.error} />
    </>
  );
}
