import { Alert, Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { IconAlertTriangle, IconRefresh } from '../../shared/icons.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmButton,
  Dialog,
  EmptyState,
  Failure,
  Form,
  List,
  Page,
  Query,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './security.module.css';

const list = 'GET /latchkey/communities/{communityId}/back-doors';
type Doors = Answer<typeof list>;
type Door = Doors['backDoors'][number];

export function View() {
  const { communityId } = useScreenParams('communityId');
  const doors = useOperation(list, { communityId });
  useLive({ communityId });
  const check = useAction('POST /latchkey/communities/{communityId}/back-doors/check', { changes: [list] });
  return (
    <Page
      title={t('security.title')}
      lead={t('security.lead')}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={check.isRunning}
          onClick={() => check.run({ communityId })}
        >
          {t('common.checkAgain')}
        </Button>
      }
    >
      <Failure error={check.error} />
      <Query read={doors} loading={t('security.loading')} lines={5}>
        {(data) => <Findings communityId={communityId} doors={data} />}
      </Query>
    </Page>
  );
}

function Findings({ communityId, doors }: { communityId: string; doors: Doors }) {
  const { backDoors: items, unchecked, checkedTime } = doors;
  const open = items.filter(({ expected }) => expected === undefined);
  const expected = items.filter((door) => door.expected !== undefined);
  if (checkedTime === undefined) return <EmptyState title={t('security.neverTitle')}>{t('security.never')}</EmptyState>;
  return (
    <>
      {unchecked.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle />} title={t('security.unchecked')}>
          <ul className={styles.unchecked}>
            {unchecked.map(({ what, remedy }) => (
              <li key={what}>{remedy}</li>
            ))}
          </ul>
        </Alert>
      )}
      <Section
        title={t('security.open')}
        lead={t.rich('security.checked', { time: <Time key="time" at={checkedTime} isRelative /> })}
      >
        {open.length === 0 ? (
          <EmptyState title={t('security.emptyTitle')}>
            {t(unchecked.length === 0 ? 'security.empty' : 'security.emptyPartly')}
          </EmptyState>
        ) : (
          <List items={open} keyOf={({ id }) => id}>
            {(door) => <DoorRow communityId={communityId} door={door} />}
          </List>
        )}
      </Section>
      {expected.length > 0 && (
        <Section title={t('security.expected')} lead={t('security.expectedLead')}>
          <List items={expected} keyOf={({ id }) => id}>
            {(door) => <DoorRow communityId={communityId} door={door} />}
          </List>
        </Section>
      )}
    </>
  );
}

function DoorRow({ communityId, door }: { communityId: string; door: Door }) {
  const { id: backDoorId, title, roles, kind, remedy, fixEffect, expected } = door;
  const [isMarking, setIsMarking] = useState(false);
  const close = useAction('POST /latchkey/communities/{communityId}/back-doors/{backDoorId}/close', {
    done: t('security.closed'),
    changes: [list],
  });
  const unmark = useAction('DELETE /latchkey/communities/{communityId}/back-doors/{backDoorId}/expected', {
    done: t('security.unmarked'),
    changes: [list],
  });
  const names = t.list(roles.map(({ id, name }) => name ?? id));
  return (
    <>
      <Row
        title={title}
        states={<State tone={expected === undefined ? 'warn' : 'plain'}>{t(`security.kind.${kind}`)}</State>}
        note={
          <>
            <Facts door={door} names={names} />
            {expected === undefined && <span className={styles.remedy}>{remedy}</span>}
          </>
        }
        actions={
          expected === undefined ? (
            <>
              {fixEffect !== undefined && (
                <ConfirmButton
                  label={t(kind === 'invite' ? 'security.deleteInvite' : 'security.removeRole')}
                  look={{ size: 'xs' }}
                  title={t('security.closeTitle', { door: title })}
                  yes={t(kind === 'invite' ? 'security.deleteInvite' : 'security.removeRole')}
                  isDangerous
                  action={close}
                  onYes={() => close.runAsync({ communityId, backDoorId })}
                >
                  {fixEffect} {t('security.closeNote')}
                </ConfirmButton>
              )}
              <Button size="xs" variant="default" onClick={() => setIsMarking(true)}>
                {t('security.mark')}
              </Button>
            </>
          ) : (
            <Button
              size="xs"
              variant="default"
              loading={unmark.isRunning}
              onClick={() => unmark.run({ communityId, backDoorId })}
            >
              {t('security.unmark')}
            </Button>
          )
        }
      />
      <Failure error={unmark.error} />
      <MarkExpected communityId={communityId} door={door} isOpen={isMarking} onClose={() => setIsMarking(false)} />
    </>
  );
}

/** What it gives, who made it and when, how much it was used, and why it is expected. */
function Facts({ door, names }: { door: Door; names: string }) {
  const { creatorName, createdTime, foundTime, expiresTime, uses, holders, holderNames = [], expected } = door;
  const made = createdTime ?? foundTime;
  const time = <Time key="time" at={made} />;
  const more = (holders ?? 0) - holderNames.length;
  return (
    <span className={styles.facts}>
      <span>{t('security.gives', { roles: names })}</span>
      <span>
        {createdTime === undefined
          ? t.rich('security.found', { time })
          : t.rich(creatorName === undefined ? 'security.madeAt' : 'security.madeBy', { time, name: creatorName })}
      </span>
      {createdTime === undefined && creatorName !== undefined && (
        <span>{t('security.addedBy', { name: creatorName })}</span>
      )}
      {uses !== undefined && <span>{t('security.uses', { count: uses })}</span>}
      {expiresTime !== undefined && (
        <span>{t.rich('security.expires', { time: <Time key="time" at={expiresTime} /> })}</span>
      )}
      {holderNames.length > 0 && (
        <span>
          {more > 0
            ? t('security.holdersMore', { names: holderNames.join(', '), count: more })
            : t('security.holders', { names: t.list(holderNames) })}
        </span>
      )}
      {expected !== undefined && <span>{t('security.because', { reason: expected.reason })}</span>}
    </span>
  );
}

/** Asks why it is expected. What was typed stays if that fails. */
function MarkExpected({
  communityId,
  door,
  isOpen,
  onClose,
}: {
  communityId: string;
  door: Door;
  isOpen: boolean;
  onClose(): void;
}) {
  const mark = useAction('PUT /latchkey/communities/{communityId}/back-doors/{backDoorId}/expected', {
    done: t('security.marked'),
    changes: [list],
    onDone: () => {
      form.reset();
      onClose();
    },
  });
  const form = useForm({ reason: '' }, mark.error);
  const reason = form.values.reason.trim();
  return (
    <Dialog isOpen={isOpen} title={t('security.markTitle', { door: door.title })} onClose={onClose}>
      <Form
        submit={t('security.mark')}
        canSubmit={reason !== ''}
        action={mark}
        onSubmit={() => mark.run({ communityId, backDoorId: door.id, body: { reason } })}
        onCancel={onClose}
      >
        <p className={styles.note}>{t('security.markNote')}</p>
        <Textarea label={t('security.reason')} required maxLength={300} {...form.text('reason')} />
      </Form>
    </Dialog>
  );
}
