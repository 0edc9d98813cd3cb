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
import { t } from '../messages/index.ts';
import styles from '../operator.module.css';

/** One user: wallets, communities, what their hosted wallet signed, kudos, and erasure. */
export function View() {
  const { userId } = useScreenParams('userId');
  const person = useOperation('GET /latchkey/operator/people/{userId}', { userId });
  return (
    <Page
      title={person.data?.name ?? userId}
      lead={
        person.data?.platform === undefined
          ? undefined
          : t('person.platform', { platform: platformName(person.data.platform) })
      }
      crumbs={[{ title: t('people.title'), to: '/operator/people' }]}
    >
      <Stack gap="xl">
        <CopyText text={userId} what={t('person.id')} />
        <Query read={person} loading={t('person.loading')}>
          {({ wallets, communities }) => (
            <>
              <Section title={t('person.communities')}>
                <List
                  items={communities}
                  keyOf={({ id }) => id}
                  empty={<Text c="dimmed">{t('person.noCommunity')}</Text>}
                >
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
              <Section title={t('person.wallets')}>
                <List
                  items={wallets}
                  keyOf={({ namespace, address }) => `${namespace} ${address}`}
                  empty={<Text c="dimmed">{t('person.noWallet')}</Text>}
                >
                  {({ namespace, address }) => (
                    <Row
                      title={<CopyText text={address} what={t('common.address')} />}
                      note={chainWords(namespace).name}
                    />
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
    <Section title={t('person.signatures')} lead={t('person.signaturesLead')}>
      <Query read={signatures} loading={t('person.loadingSignatures')}>
        {(signed) =>
          signed.length === 0 ? (
            <Text c="dimmed">{t('person.noSignature')}</Text>
          ) : (
            <Accordion variant="contained" order={3}>
              {signed.map(({ signedTime, purpose, clientId, text }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two texts may be signed in one moment, and the list only grows at its head
                <Accordion.Item key={`${signedTime} ${index}`} value={String(index)}>
                  <Accordion.Control>
                    {clientId === undefined
                      ? t.rich('person.signature', { purpose, time: <Time key="time" at={signedTime} /> })
                      : t.rich('person.signatureFor', {
                          purpose,
                          clientId,
                          time: <Time key="time" at={signedTime} />,
                        })}
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
    <Section title={t('person.kudos')}>
      <Stack gap="md">
        <Group>
          <SegmentedControl
            aria-label={t('person.whichKudos')}
            value={type}
            onChange={setType}
            data={[
              { value: 'received', label: t('person.received') },
              { value: 'sent', label: t('person.sent') },
            ]}
          />
        </Group>
        <Query read={kudos} loading={t('person.loadingKudos')}>
          {(answer) => (
            <List
              items={readKudos(answer)}
              empty={<Text c="dimmed">{t('person.noKudos')}</Text>}
              keyOf={({ givenAt, fromUserId, toUserId }) => `${givenAt} ${fromUserId} ${toUserId}`}
            >
              {({ givenAt, fromUserId, toUserId, kind, words }) => (
                <Row
                  title={words}
                  states={<State>{kind}</State>}
                  note={t.rich('person.kudosFromTo', {
                    from: fromUserId,
                    to: toUserId,
                    time: <Time key="time" at={givenAt} />,
                  })}
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
    <Section title={t('erase.title')} lead={t('erase.lead')}>
      {erase.answer === undefined ? (
        <div>
          <ConfirmButton
            label={t('erase.open')}
            look={{ color: 'red', variant: 'light' }}
            title={t('erase.confirmTitle')}
            yes={t('erase.submit')}
            isDangerous
            action={erase}
            onYes={() => {
              setIsRefused(!isTyped);
              return isTyped ? erase.runAsync({ userId, body: reason === '' ? {} : { reason } }) : undefined;
            }}
          >
            <Text>{t('erase.confirm', { userId })}</Text>
            <TextInput
              label={t('erase.id')}
              {...form.text('typed')}
              error={isRefused && !isTyped ? t('erase.wrongId') : undefined}
            />
            <TextInput
              label={t('common.reason')}
              description={t('common.forAuditLog')}
              maxLength={500}
              {...form.text('reason')}
            />
          </ConfirmButton>
        </div>
      ) : (
        <EmptyState title={t(erase.answer.state === 'erased' ? 'erase.erasedTitle' : 'erase.erasingTitle')}>
          {erase.answer.reason ?? t('erase.erased')}
        </EmptyState>
      )}
    </Section>
  );
}
