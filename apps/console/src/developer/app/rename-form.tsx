import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../shared/api/index.ts';
import { Failure, Section } from '../../shared/ui/index.ts';

export function RenameForm({ appId, name }: { appId: string; name: string }) {
  const [wanted, setWanted] = useState(name);
  const rename = useAction('PATCH /client-apps/{id}', { changes: ['GET /client-apps/{id}', 'GET /client-apps'] });
  return (
    <Section title="Name" lead="People see it when they log in and when they are asked for permission.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.run({ id: appId, body: { name: wanted } });
        }}
      >
        <Group align="flex-end">
          <TextInput
            aria-label="Name of the application"
            maxLength={200}
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={rename.isRunning}
            disabled={wanted.trim() === '' || wanted === name}
          >
            Save name
          </Button>
        </Group>
      </form>
      <Failure error={rename.error} />
    </Section>
  );
}
