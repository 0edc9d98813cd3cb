import { Button, MultiSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Fragment, useState } from 'react';
import { type Answer, useAction, useOperation, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { MemberField, roleOptions } from '../../shared/member-field.tsx';
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
import { counted } from '../../shared/words.ts';
import styles from './passes.module.css';

const list = 'GET /discord/{guildId}/guest-passes';
type Pass = Answer<typeof list>[number];

export function View() {
  const { communityId } = useScreenParams('communityId');
  const passes = useOperation(list, { guildId: communityId });
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Page
      title="Guest passes"
      lead="Give a member roles for a while, without a wallet. They are removed when the time is over."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setIsMaking(true)}>
          New pass
        </Button>
      }
    >
      <Query read={passes} what="the passes">
        {(all) =>
          all.length === 0 ? (
            <EmptyState title="No guest passes yet">
              Create one for speakers, partners or new members, and give it to them.
            </EmptyState>
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
  const { id = '', name = 'Guest pass', description, roleSet = [], period = 0, status } = pass;
  const remove = useAction('DELETE /discord/{guildId}/guest-passes/{passId}', {
    done: 'Guest pass deleted.',
    changes: [list],
  });
  return (
    <Section
      title={name}
      lead={description}
      actions={
        <>
          {status !== 'active' && <State>Inactive</State>}
          <ConfirmButton
            label="Delete"
            look={{ size: 'xs' }}
            title={`Delete “${name}”?`}
            yes="Delete pass"
            isDangerous
            action={remove}
            onYes={() => remove.runAsync({ guildId: communityId, passId: id })}
          >
            Everyone who holds it loses the roles that it gave.
          </ConfirmButton>
        </>
      }
    >
      <p className={styles.facts}>
        Gives{' '}
        {roleSet.map(({ id: roleId, name: roleName = 'a role', color }, index) => (
          <Fragment key={roleId ?? index}>
            {index > 0 && ', '}
            <RoleName name={roleName} color={color} />
          </Fragment>
        ))}{' '}
        for {formatPeriod(period)}.
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

/** Formats a duration: "30 days". */
function formatPeriod(seconds: number): string {
  const [unit, size] =
    units.find(([, length]) => seconds >= length && seconds % length === 0) ?? (['second', 1] as const);
  const amount = Math.round(seconds / size);
  return counted(amount, unit);
}

/** Finds a member by name and grants them the pass. */
function GivePass({ communityId, passId, name }: { communityId: string; passId: string; name: string }) {
  const [userId, setUserId] = useState<string>();
  const give = useAction('PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}', {
    done: 'Guest pass given.',
    changes: [holders],
    onDone: () => setUserId(undefined),
  });
  return (
    <Form
      isInline
      isQuiet
      submit="Give pass"
      canSubmit={userId !== undefined}
      action={give}
      onSubmit={() => userId !== undefined && give.run({ communityId, passId, userId })}
    >
      <MemberField
        communityId={communityId}
        label={`Give ${name} to`}
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
    done: 'Guest pass created.',
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
    <Dialog isOpen={isOpen} title="New guest pass" onClose={onClose}>
      <Form
        submit="Create pass"
        canSubmit={name.trim() !== '' && roleIds.length > 0 && Number(days) >= 1}
        action={create}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextInput label="Name" required maxLength={200} {...form.text('name')} />
        <Textarea label="What it is for" maxLength={2000} {...form.text('description')} />
        <MultiSelect label="Roles" required searchable data={roleOptions(items)} {...form.choice('roleIds')} />
        <NumberInput label="How many days it lasts" required min={1} max={3650} {...form.choice('days')} />
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
    done: 'Guest pass ended.',
    changes: [holders],
  });
  return (
    <>
      <PagedList
        pages={pages}
        what="holders"
        keyOf={({ userId }) => userId}
        empty={<p className={styles.facts}>No members have it yet.</p>}
      >
        {({ userId, userName, endsTime, problem }) => (
          <Row
            title={userName ?? 'A member'}
            note={
              <>
                Until <Time at={endsTime} />
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
                End now
              </Button>
            }
          />
        )}
      </PagedList>
      <Failure error={end.error} />
    </>
  );
}
