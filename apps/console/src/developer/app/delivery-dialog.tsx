import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { CopyText, Failure, Loading, Time } from '../../shared/ui/index.ts';
import { pretty } from '../pretty.ts';
import styles from './webhooks.module.css';

/** One delivery: what is sent, every attempt, and a way to send it again. */
export function DeliveryDialog({ appId, deliveryId, onClose }: { appId: string; deliveryId: string; onClose(): void }) {
  const input = { id: appId, deliveryId };
  const { data, error, isLoading, refetch } = useOperation(
    'GET /latchkey/client-apps/{id}/deliveries/{deliveryId}',
    input,
  );
  const resend = useAction('POST /latchkey/client-apps/{id}/deliveries/{deliveryId}/resend', {
    changes: ['GET /latchkey/client-apps/{id}/deliveries', 'GET /latchkey/client-apps/{id}/deliveries/{deliveryId}'],
  });
  return (
    <Modal opened onClose={onClose} title="Delivery" size="lg">
      {isLoading && <Loading what="the delivery" />}
      <Failure error={error} onRetry={() => void refetch()} />
      {data !== undefined && (
        <Stack>
          <div>
            <Text size="sm" fw={550}>
              webhook-id
            </Text>
            <CopyText text={data.eventId} what="webhook-id" />
          </div>
          <div>
            <Text size="sm" fw={550}>
              Attempts
            </Text>
            {data.log.length === 0 ? (
              <Text size="sm">Not tried yet.</Text>
            ) : (
              <ul className={styles.attempts}>
                {data.log.map(({ attemptedAt, reason, tookMs }) => (
                  <li key={attemptedAt}>
                    <Time at={attemptedAt} /> · {reason} · {tookMs} ms
                  </li>
                ))}
              </ul>
            )}
          </div>
          <div>
            <Text size="sm" fw={550}>
              Body
            </Text>
            <Code block className={styles.body}>
              {pretty(data.body)}
            </Code>
          </div>
          <Failure error={resend.error} />
          <Group justify="flex-end">
            {resend.answer !== undefined && resend.error === null && <span role="status">It is being sent again.</span>}
            <Button loading={resend.isRunning} onClick={() => resend.run(input)}>
              Send again
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
