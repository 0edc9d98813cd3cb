import { Accordion, Stack, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { EmptyState, Page, Query, State, Time } from '../../shared/ui/index.ts';
import styles from '../operator.module.css';

const deliveries = {
  server: ['good', 'Email goes to your mail server.'],
  catcher: ['warn', 'E-mail is kept here and not sent. Set LATCHKEY_SMTP_URL to your mail server.'],
  none: ['bad', 'E-mail cannot be sent. Set LATCHKEY_SMTP_URL to your mail server.'],
} as const;

/** Where mails are sent, and what the mail catcher of a trial received. */
export function View() {
  const mails = useOperation('GET /latchkey/operator/mails', {});
  return (
    <Page title="Mail" lead="One-time codes, support tickets and notices to admins go out by mail.">
      <Query read={mails} what="mail">
        {({ delivery, isCatcherReached, caught }) => {
          const [tone, says] = deliveries[delivery];
          return (
            <Stack gap="md">
              <Text>
                <State tone={tone}>{delivery === 'server' ? 'Sending' : 'Not sending'}</State> {says}
              </Text>
              {delivery === 'server' && <Text c="dimmed">Email that could not be sent is among the failed jobs.</Text>}
              {delivery === 'catcher' && !isCatcherReached && (
                <EmptyState title="The mail catcher is not responding">It runs on the machine of npm start.</EmptyState>
              )}
              {isCatcherReached && caught.length === 0 && (
                <EmptyState title="No email yet">Email that this server would send appears here.</EmptyState>
              )}
              {caught.length > 0 && (
                <Accordion variant="contained" order={2}>
                  {caught.map(({ to, subject, text, receivedTime }, index) => (
                    <Accordion.Item key={`${receivedTime} ${to.join()} ${subject}`} value={String(index)}>
                      <Accordion.Control>
                        {subject}
                        <Text size="sm" c="dimmed">
                          To {to.join(', ')}, <Time at={receivedTime} isRelative />
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
