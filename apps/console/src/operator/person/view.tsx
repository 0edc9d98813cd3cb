import { Accordion, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmButton,
  CopyText,
  EmptyState,
  List,
  Page,
  Query,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { chainWords } from '../../wallets/chains.ts';
import styles from '../operator.module.css';

/** One user: wallets, communities, what their hosted wallet signed, kudos, and erasure. */
export function View() {
  const { userId } = useScreenParams('userId');
  const person = useOperation('GET /latchkey/operator/people/{userId}', { userId });
  return (
    <Page
      title={person.data?.name ?? userId}
      lead={person.data?.platform === undefined ? undefined : `On ${platformName(person.data.platform)}`}
      crumbs={[{ title: 'People', to: '/operator/people' }]}
    >
      <Stack gap="xl">
        <CopyText text={userId} what="id" />
        <Query read={person} what="the person">
          {({ wallets, communities }) => (
            <>
              <Section title="Communities">
                <List items={communities} keyOf={({ id }) => id} empty={<Text c="dimmed">In no community.</Text>}>
                  {({ id, name }) => (
                    <Row
                      title={
                        <Link to="/communities/$communityId" params={{ communityId: id }}>
                          {name}
                        </Link>
                      }
                    />
                  )}
                </List>
              </Section>
              <Section title="Wallets">
                <List
                  items={wallets}
                  keyOf={({ namespace, address }) => `${namespace} ${address}`}
                  empty={<Text c="dimmed">No wallet is linked.</Text>}
                >
                  {({ namespace, address }) => (
                    <Row title={<CopyText text={address} what="address" />} note={chainWords(namespace).name} />
                  )}
                </List>
              </Section>
            </>
          )}
        </Query>
        <Signatures userId={userId} />
        <Kudos userId={userId} />
        <Erase userId={userId} />
      </Stack>
    </Page>
  );
}

/** What a user's hosted wallet signed. */
function Signatures({ userId }: { userId: string }) {
  const signatures = useOperation('GET /latchkey/operator/people/{userId}/signatures', { userId });
  return (
    <Section title="What the hosted wallet signed" lead="The last 100, newest first.">
      <Query read={signatures} what="signatures">
        {(signed) =>
          signed.length === 0 ? (
            <Text c="dimmed">Nothing was signed.</Text>
          ) : (
            <Accordion variant="contained" order={3}>
              {signed.map(({ signedTime, purpose, clientId, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two texts may be signed in one moment, and the list only grows at its head
                <Accordion.Item key={`${signedTime} ${index}`} value={String(index)}>
                  <Accordion.Control>
                    {purpose}, <Time at={signedTime} />
                    {clientId !== undefined && `, for ${clientId}`}
                  </Accordion.Control>
                  <Accordion.Panel>
                    <div className={styles.text}>{text}</div>
                  </Accordion.Panel>
                </Accordion.Item>
              ))}
            </Accordion>
          )
        }
      </Query>
    </Section>
  );
}

interface OneKudos {
  givenAt: string;
  fromUserId: string;
  toUserId: string;
  kind: string;
  words: string;
}

/** Kudos that a user received or gave. */
function Kudos({ userId }: { userId: string }) {
  const [type, setType] = useState('received');
  const kudos = useOperation('GET /kudos/users/{userId}/{type}', { userId, type }, { keepsPrevious: true });
  return (
    <Section title="Kudos">
      <Stack gap="md">
        <Group>
          <SegmentedControl
            aria-label="Which kudos"
            value={type}
            onChange={setType}
            data={[
              { value: 'received', label: 'Received' },
              { value: 'sent', label: 'Sent' },
            ]}
          />
        </Group>
        <Query read={kudos} what="kudos">
          {(answer) => (
            <List
              items={readKudos(answer)}
              empty={<Text c="dimmed">None.</Text>}
              keyOf={({ givenAt, fromUserId, toUserId }) => `${givenAt} ${fromUserId} ${toUserId}`}
            >
              {({ givenAt, fromUserId, toUserId, kind, words }) => (
                <Row
                  title={words}
                  states={<State>{kind}</State>}
                  note={
                    <>
                      From {fromUserId} to {toUserId}, <Time at={givenAt} />
                    </>
                  }
                />
              )}
            </List>
          )}
        </Query>
      </Stack>
    </Section>
  );
}

/** The published operation returns an open object. */
function readKudos({ kudos }: Record<string, unknown>): OneKudos[] {
  if (!Array.isArray(kudos)) return [];
  return kudos.map((one: Record<string, unknown>) => ({
    givenAt: String(one.givenAt),
    fromUserId: String(one.fromUserId),
    toUserId: String(one.toUserId),
    kind: String(one.kind),
    words: String(one.words),
  }));
}

/** Permanently erases a user. The ID has to be typed, to prevent erasing the wrong account. */
function Erase({ userId }: { userId: string }) {
  const [isRefused, setIsRefused] = useState(false);
  const erase = useAction('POST /latchkey/operator/people/{userId}/erase', {
    changes: [
      'GET /latchkey/operator/people',
      'GET /latchkey/operator/people/{userId}',
      'GET /latchkey/operator/erasures',
    ],
  });
  const form = useForm({ typed: '', reason: '' }, erase.error);
  const isTyped = form.values.typed.trim() === userId;
  const reason = form.values.reason.trim();
  return (
    <Section
      title="Erase this account"
      lead="Deletes everything personal about it, and removes the roles that depend on it."
    >
      {erase.answer === undefined ? (
        <div>
          <ConfirmButton
            label="Erase account"
            look={{ color: 'red', variant: 'light' }}
            title="Erase this account for good?"
            yes="Erase account"
            isDangerous
            action={erase}
            onYes={() => {
              setIsRefused(!isTyped);
              return isTyped ? erase.runAsync({ userId, body: reason === '' ? {} : { reason } }) : undefined;
            }}
          >
            <Text>This cannot be undone. Type the id to confirm: {userId}</Text>
            <TextInput
              label="Id of the account"
              {...form.text('typed')}
              error={isRefused && !isTyped ? 'Type the id of this account to erase it.' : undefined}
            />
            <TextInput label="Reason" description="For the audit log." maxLength={500} {...form.text('reason')} />
          </ConfirmButton>
        </div>
      ) : (
        <EmptyState title={erase.answer.state === 'erased' ? 'Nothing is left of it' : 'It is being erased'}>
          {erase.answer.reason ?? 'The account is erased.'}
        </EmptyState>
      )}
    </Section>
  );
}
