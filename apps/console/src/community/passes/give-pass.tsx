import { Button, Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';
import styles from './passes.module.css';

const searchPauseMs = 200;
const mostShown = 10;

/** Finds a member by name and gives them the pass. */
export function GivePass({ communityId, passId, name }: { communityId: string; passId: string; name: string }) {
  const [words, setWords] = useState('');
  const [userId, setUserId] = useState<string | null>(null);
  const [search] = useDebouncedValue(words.trim(), searchPauseMs);
  const members = useOperation(
    'GET /latchkey/communities/{communityId}/members',
    { communityId, limit: mostShown, ...(search !== '' && { search }) },
    { keepsPrevious: true },
  );
  const give = useAction('PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}', {
    changes: ['GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders'],
    onDone: () => {
      setUserId(null);
      setWords('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (userId !== null) give.run({ communityId, passId, userId });
  };
  return (
    <form onSubmit={submit}>
      <Group align="end" gap="xs">
        <Select
          label={`Give ${name} to`}
          placeholder="Search members"
          searchable
          clearable
          className={styles.field}
          data={(members.data?.items ?? []).map((member) => ({
            value: member.userId,
            label: member.userName ?? member.userId,
          }))}
          filter={({ options }) => options}
          nothingFoundMessage={members.isFetching ? 'Searching …' : 'No member has this name'}
          searchValue={words}
          onSearchChange={setWords}
          value={userId}
          onChange={setUserId}
        />
        <Button type="submit" variant="default" loading={give.isRunning} disabled={userId === null}>
          Give pass
        </Button>
      </Group>
      <Failure error={give.error ?? members.error} />
    </form>
  );
}
