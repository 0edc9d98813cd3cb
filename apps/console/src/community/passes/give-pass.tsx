import { Button, Group } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { MemberField } from '../../shared/member-field.tsx';
import { Failure } from '../../shared/ui/index.ts';
import styles from './passes.module.css';

/** Finds a member by name and gives them the pass. */
export function GivePass({ communityId, passId, name }: { communityId: string; passId: string; name: string }) {
  const [userId, setUserId] = useState<string>();
  const give = useAction('PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}', {
    changes: ['GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders'],
    onDone: () => setUserId(undefined),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (userId !== undefined) give.run({ communityId, passId, userId });
  };
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="xs">
        <MemberField
          communityId={communityId}
          label={`Give ${name} to`}
          className={styles.field}
          value={userId}
          onChange={setUserId}
        />
        <Button type="submit" variant="default" loading={give.isRunning} disabled={userId === undefined}>
          Give pass
        </Button>
      </Group>
      <Failure error={give.error} />
    </form>
  );
}
