import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { IconAlertTriangle } from '../../shared/icons.tsx';
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
import styles from './linked-roles.module.css';

const here = '/console/me/linked-roles';

/** The page that Discord opens for members who want a linked role. */
export function View() {
  useLive('account');
  const linked = useLinkedRoles();
  return (
    <Page
      title="Discord linked roles"
      lead="Discord servers can give roles by what you hold, without a bot that writes them. For this, Latchkey sends Discord a few values about you."
      crumbs={[{ title: 'My account', to: '/me' }]}
    >
      <Query read={linked.state} what="your linked roles" lines={4}>
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
    return (
      <EmptyState title="Linked roles are not available here">
        The operator of this server has not set them up. Roles that a bot gives work as usual.
      </EmptyState>
    );
  if (!data.isDiscord)
    return (
      <EmptyState
        title="Sign in with Discord"
        action={
          <Button component="a" href={`/login/console/with/discord?to=${here}`}>
            Sign in with Discord
          </Button>
        }
      >
        Linked roles belong to a Discord account. You are signed in with another one.
      </EmptyState>
    );
  return (
    <>
      <Connection connection={data.connection} linked={linked} />
      <Section
        title="What Discord receives"
        lead="Discord may show these values to others in servers that use them. It gets no wallet address and no balance."
      >
        <List items={data.values} keyOf={({ key }) => key}>
          {({ name, description, kind, value }) => (
            <Row title={name} note={description} states={<State tone="plain">{valueInWords(kind, value)}</State>} />
          )}
        </List>
      </Section>
    </>
  );
}

function valueInWords(kind: LinkedRoles['values'][number]['kind'], value: string | undefined) {
  if (value === undefined) return 'None';
  return kind === 'time' ? (
    <>
      since <Time at={value} />
    </>
  ) : (
    value
  );
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
        title="Not connected"
        lead="Connect once, and Discord is updated whenever your wallets or roles change."
        actions={connect('Connect with Discord')}
      />
    );
  return (
    <Section
      title={connection.state === 'lost' ? 'Connection lost' : 'Connected'}
      lead={
        <>
          Since <Time at={connection.connectedTime} />.{' '}
          {connection.sentTime === undefined ? (
            'Discord is updated within a minute.'
          ) : (
            <>
              Discord was updated <Time at={connection.sentTime} isRelative />.
            </>
          )}
        </>
      }
      actions={
        <>
          <ConfirmButton
            label="Disconnect"
            title="Disconnect linked roles?"
            yes="Disconnect"
            isDangerous
            action={disconnect}
            onYes={() => disconnect.runAsync({})}
          >
            <p>Discord removes the linked roles that depend on Latchkey, in every server. Other roles stay.</p>
          </ConfirmButton>
          {connection.state === 'lost' && connect('Connect again')}
        </>
      }
    >
      {connection.state === 'lost' && (
        <Alert color="yellow" title="Discord no longer accepts it" icon={<IconAlertTriangle size={18} />}>
          You revoked the access on Discord, or it expired. Discord keeps the values it received last until you connect
          again.
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
    onDone: () => setNote('Connected. Discord is updated within a minute.'),
  });
  const disconnect = useAction('DELETE /latchkey/account/linked-roles', {
    done: 'Linked roles disconnected.',
    changes: [read],
    onDone: () => setNote('Disconnected. Discord removes the roles that depended on it.'),
  });
  const connect = useConsent({
    begin: () => {
      setNote('');
      finish.reset();
      return begin.runAsync({});
    },
    finish: (body) => finish.run({ body }),
    onDenied: () => setNote('You did not allow it on Discord. Nothing was connected.'),
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
