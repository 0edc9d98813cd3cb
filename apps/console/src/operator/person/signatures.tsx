import { Accordion, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { Section, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import styles from '../rows.module.css';

/** What the hosted wallet of a person signed. */
export function Signatures({ userId }: { userId: string }) {
  const signatures = useOperation('GET /latchkey/operator/people/{userId}/signatures', { userId });
  return (
    <Section title="What the hosted wallet signed" lead="The last 100, newest first.">
      <Answered read={signatures} what="signatures">
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
      </Answered>
    </Section>
  );
}
