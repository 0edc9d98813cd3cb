import { Accordion, Stack, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { EmptyState, Page, Query, State, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from '../operator.module.css';

const tones = { server: 'good', catcher: 'warn', none: 'bad' } as const;

/** Where mails are sent, and what the mail catcher of a trial received. */
export function View() {
  const mails = useOperation('GET /latchkey/operator/mails', {});
  return (
    <Page title={t('mails.title')} lead={t('mails.lead')}>
      <Query read={mails} loading={t('mails.loading')}>
        {({ delivery, isCatcherReached, caught }) => {
          return (
            <Stack gap="md">
              <Text>
                <State tone={tones[delivery]}>{t(delivery === 'server' ? 'mails.sending' : 'mails.notSending')}</State>{' '}
                {t(`mails.${delivery}`)}
              </Text>
              {delivery === 'server' && <Text c="dimmed">{t('mails.whereFailed')}</Text>}
              {delivery === 'catcher' && !isCatcherReached && (
                <EmptyState title={t('mails.catcherAwayTitle')}>{t('mails.catcherAway')}</EmptyState>
              )}
              {isCatcherReached && caught.length === 0 && (
                <EmptyState title={t('mails.emptyTitle')}>{t('mails.empty')}</EmptyState>
              )}
              {caught.length > 0 && (
                <Accordion variant="contained" order={2}>
                  {caught.map(({ to, subject, text, receivedTime }, index) => (
                    <Accordion.Item key={`${receivedTime} ${to.join()} ${subject}`} value={String(index)}>
                      <Accordion.Control>
                        {subject}
                        <Text size="sm" c="dimmed">
                          {t.rich('mails.to', {
                            addresses: t.list(to),
                            time: <Time key="time" at={receivedTime} isRelative />,
                          })}
                        </Text>
                      </Accordion.Control>
                      <Accordion.Panel>
                        <div className={styles.text}>{text}</div>
                      </Accordion.Panel>
                    </Accordion.Item>
                  ))}
                </Accordion>
              )}
            </Stack>
          );
        }}
      </Query>
    </Page>
  );
}
