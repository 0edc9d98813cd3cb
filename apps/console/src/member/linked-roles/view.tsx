import { Alert, Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type Answer, useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { IconAlertTriangle } from '../../shared/icons.ts';
import {
  ConfirmButton,
  EmptyState,
  Failure,
  List,
  Page,
  Query,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { useConsent } from '../../shared/use-consent.ts';
import { t } from '../messages/index.ts';
import styles from './linked-roles.module.css';

const here = '/console/me/linked-roles';

/** The page that Discord opens for members who want a linked role. */
export function View() {
  useLive('account');
  const linked = useLinkedRoles();
  return (
    <Page title={t('linkedRoles.title')} lead={t('linkedRoles.lead')} crumbs={[{ title: t('me.title'), to: '/me' }]}>
      <Query read={linked.state} loading={t('linkedRoles.loading')} lines={4}>
        {(data) => <Choices data={data} linked={linked} />}
      </Query>
      <p role="status" className={styles.note}>
        {linked.note}
      </p>
      <Failure error={linked.error} />
    </Page>
  );
}

type Linked = ReturnType<typeof useLinkedRoles>;

function Choices({ data, linked }: { data: LinkedRoles; linked: Linked }) {
  if (!data.isOffered)
    return <EmptyState title={t('linkedRoles.notOffered')}>{t('linkedRoles.notOfferedWhy')}</EmptyState>;
  if (!data.isDiscord)
    return (
      <EmptyState
        title={t('common.signInWith', { platform: 'Discord' })}
        action={
          <Button component="a" href={`/login/console/with/discord?to=${here}`}>
            {t('common.signInWith', { platform: 'Discord' })}
          </Button>
        }
      >
        {t('linkedRoles.otherAccount')}
      </EmptyState>
    );
  return (
    <>
      <Connection connection={data.connection} linked={linked} />
      <Section title={t('linkedRoles.values')} lead={t('linkedRoles.valuesLead')}>
        <List items={data.values} keyOf={({ key }) => key}>
          {({ name, description, kind, value }) => (
            <Row title={name} note={description} states={<State tone="plain">{valueInWords(kind, value)}</State>} />
          )}
        </List>
      </Section>
    </>
  );
}

function valueInWords(kind: LinkedRoles['values'][number]['kind'], value: string | undefined): ReactNode {
  if (value === undefined) return t('linkedRoles.noValue');
  return kind === 'time' ? t.rich('common.since', { time: <Time key="time" at={value} /> }) : value;
}

function Connection({ connection, linked }: { connection: LinkedRoles['connection']; linked: Linked }) {
  const { disconnect } = linked;
  const connect = (words: string) => (
    <Button loading={linked.isConnecting} onClick={() => void linked.connect()}>
      {words}
    </Button>
  );
  if (connection === undefined)
    return (
      <Section
        title={t('linkedRoles.notConnected')}
        lead={t('linkedRoles.notConnectedLead')}
        actions={connect(t('linkedRoles.connect'))}
      />
    );
  const since = <Time key="since" at={connection.connectedTime} />;
  return (
    <Section
      title={t(connection.state === 'lost' ? 'linkedRoles.lost' : 'linkedRoles.connected')}
      lead={
        connection.sentTime === undefined
          ? t.rich('linkedRoles.since', { since })
          : t.rich('linkedRoles.sinceSent', {
              since,
              sent: <Time key="sent" at={connection.sentTime} isRelative />,
            })
      }
      actions={
        <>
          <ConfirmButton
            label={t('linkedRoles.disconnect')}
            title={t('linkedRoles.disconnectTitle')}
            yes={t('linkedRoles.disconnect')}
            isDangerous
            action={disconnect}
            onYes={() => disconnect.runAsync({})}
          >
            <p>{t('linkedRoles.disconnectAbout')}</p>
          </ConfirmButton>
          {connection.state === 'lost' && connect(t('linkedRoles.connectAgain'))}
        </>
      }
    >
      {connection.state === 'lost' && (
        <Alert color="yellow" title={t('linkedRoles.lostTitle')} icon={<IconAlertTriangle size={18} />}>
          {t('linkedRoles.lostWhy')}
        </Alert>
      )}
    </Section>
  );
}

const read = 'GET /latchkey/account/linked-roles';
type LinkedRoles = Answer<typeof read>;

/** What Discord receives about the user, and the redirect to Discord and back on which they consent. */
function useLinkedRoles() {
  const state = useOperation(read, {});
  const [note, setNote] = useState('');
  const begin = useAction('POST /latchkey/account/linked-roles/attempts');
  const finish = useAction('POST /latchkey/account/linked-roles', {
    changes: [read],
    onDone: () => setNote(t('linkedRoles.connectedNote')),
  });
  const disconnect = useAction('DELETE /latchkey/account/linked-roles', {
    done: t('linkedRoles.disconnectedToast'),
    changes: [read],
    onDone: () => setNote(t('linkedRoles.disconnectedNote')),
  });
  const connect = useConsent({
    begin: () => {
      setNote('');
      finish.reset();
      return begin.runAsync({});
    },
    finish: (body) => finish.run({ body }),
    onDenied: () => setNote(t('linkedRoles.denied')),
  });
  return {
    state,
    note,
    connect,
    isConnecting: begin.isRunning || finish.isRunning,
    error: begin.error ?? finish.error,
    disconnect,
  };
}
