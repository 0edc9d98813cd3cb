import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { Row, Section, State, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { Rows } from '../rows.tsx';

interface OneKudos {
  givenAt: string;
  fromUserId: string;
  toUserId: string;
  kind: string;
  words: string;
}

/** Thanks that a person got or gave. */
export function Kudos({ userId }: { userId: string }) {
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
        <Answered read={kudos} what="kudos">
          {(answer) => {
            const all = readKudos(answer);
            return all.length === 0 ? (
              <Text c="dimmed">None.</Text>
            ) : (
              <Rows items={all} keyOf={({ givenAt, fromUserId, toUserId }) => `${givenAt} ${fromUserId} ${toUserId}`}>
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
              </Rows>
            );
          }}
        </Answered>
      </Stack>
    </Section>
  );
}

/** The published operation answers with an open object. */
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
