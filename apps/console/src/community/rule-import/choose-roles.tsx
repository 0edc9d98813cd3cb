import { Button, Group, Select, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';
import { Entries, FoundRule } from './entries.tsx';
import styles from './rule-import.module.css';
import type { Entry } from './sources.ts';
import { useNewImport, useRequestOf } from './use-new-import.ts';

interface Parts {
  communityId: string;
  importId: string;
  /** Rules whose role was not found here. */
  entries: readonly Entry[];
}

/** Says which role here takes the place of one there; the rules are then read again. */
export function ChooseRoles({ communityId, importId, entries }: Parts) {
  const request = useRequestOf(importId);
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const roles = useOperation(
    'GET /latchkey/communities/{communityId}/chat-roles',
    { communityId },
    { enabled: entries.length > 0 && request !== undefined },
  );
  const again = useNewImport(communityId);
  const names = [...new Set(entries.flatMap(({ roleThere }) => roleThere ?? []))];
  const picked = Object.entries(chosen).map(([from, roleId]) => ({ from, roleId }));
  const read = () => {
    if (request === undefined) return;
    const before = request.roles?.filter(({ from }) => chosen[from] === undefined) ?? [];
    again.run({ communityId, body: { ...request, roles: [...before, ...picked] } });
  };
  return (
    <>
      <Entries
        title="Without a role here"
        lead="These rules can be carried over once you say which of your roles they give."
        entries={entries}
      >
        {(entry) => <FoundRule communityId={communityId} entry={entry} />}
      </Entries>
      {entries.length > 0 && request === undefined && (
        <Text size="sm" c="dimmed">
          To choose roles for them,{' '}
          <Link to="/communities/$communityId/rules/import" params={{ communityId }}>
            read the export again
          </Link>
          : it is not stored here.
        </Text>
      )}
      {entries.length > 0 && request !== undefined && (
        <div className={styles.roles}>
          <Failure error={roles.error} onRetry={() => void roles.refetch()} />
          {names.map((name) => (
            <Select
              key={name}
              label={`Role for “${name}”`}
              placeholder="Choose a role"
              searchable
              clearable
              nothingFoundMessage="No role has this in its name"
              data={(roles.data?.items ?? []).map(({ id, name: label, canBeGiven }) => ({
                value: id,
                label: canBeGiven ? label : `${label} (the bot cannot give it)`,
                disabled: !canBeGiven,
              }))}
              value={chosen[name] ?? null}
              onChange={(roleId) =>
                setChosen(({ [name]: _before, ...others }) =>
                  roleId === null ? others : { ...others, [name]: roleId },
                )
              }
            />
          ))}
          <Group>
            <Button variant="default" loading={again.isRunning} disabled={picked.length === 0} onClick={read}>
              Read again with these roles
            </Button>
          </Group>
          <Failure error={again.error} />
        </div>
      )}
    </>
  );
}
