import { Button, Group } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { useAction } from '../../shared/api/index.ts';
import { MemberField } from '../../shared/member-field.tsx';
import { Failure } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

/** Finds a member by name and makes them an admin. The answer says what the platform thinks of them. */
export function AddAdmin({ communityId, platform }: { communityId: string; platform: string }) {
  const [userId, setUserId] = useState<string>();
  const add = useAction('PUT /latchkey/communities/{communityId}/admins/{userId}', {
    changes: ['GET /latchkey/communities/{communityId}/admins'],
    onDone: () => setUserId(undefined),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (userId !== undefined) add.run({ communityId, userId });
  };
  const added = add.answer;
  const name = added?.userName ?? added?.userId;
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="xs">
        <MemberField
          communityId={communityId}
          label="Add an admin"
          className={styles.field}
          value={userId}
          onChange={setUserId}
        />
        <Button type="submit" variant="default" loading={add.isRunning} disabled={userId === undefined}>
          Add admin
        </Button>
      </Group>
      <Failure error={add.error} />
      <p role="status" className={styles.note}>
        {added !== undefined &&
          (added.ground === 'platform'
            ? `${name} is an admin. ${platformName(platform)} confirms that they manage the community, and they stay an admin as long as it does.`
            : `${name} is an admin. ${platformName(platform)} does not say that they manage the community, so they are one because you named them: until they leave, or you are no longer an admin.`)}
      </p>
    </form>
  );
}
