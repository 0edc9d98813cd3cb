import { Button, Group, Switch, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { Failure, Section, State } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

const health = 'GET /latchkey/communities/{communityId}/health';

/** The name, and whether roles are written at all. */
export function General({
  communityId,
  health: { name, status },
}: {
  communityId: string;
  health: Answer<typeof health>;
}) {
  const [wanted, setWanted] = useState(name);
  const changes = [health, 'GET /latchkey/account/communities'] as const;
  const rename = useAction('PATCH /latchkey/communities/{communityId}', { changes });
  const pause = useAction('PATCH /latchkey/communities/{communityId}', { changes });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.run({ communityId, body: { name: wanted.trim() } });
  };
  return (
    <Section title="General" actions={status === 'kicked' && <State tone="bad">Bot removed</State>}>
      <form onSubmit={submit}>
        <Group align="end" gap="xs">
          <TextInput
            label="Name"
            description="What members and admins see here."
            maxLength={200}
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
            className={styles.field}
          />
          <Button
            type="submit"
            variant="default"
            loading={rename.isRunning}
            disabled={wanted.trim() === '' || wanted.trim() === name}
          >
            Save name
          </Button>
        </Group>
      </form>
      <Failure error={rename.error} />
      <Switch
        label="Pause role changes"
        description="While paused, no role is given or removed. Everybody keeps what they have."
        checked={status === 'paused'}
        disabled={pause.isRunning || status === 'kicked'}
        onChange={(event) => pause.run({ communityId, body: { isPaused: event.currentTarget.checked } })}
      />
      <Failure error={pause.error} />
    </Section>
  );
}
