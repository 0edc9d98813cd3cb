import { Button, Group, PasswordInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';

/** The operator's way in: a key that the command line made. */
export function OperatorKey({ onKey }: { onKey(key: string): Promise<void> }) {
  const [key, setKey] = useState('');
  const [isSending, setIsSending] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setIsSending(true);
    await onKey(key.trim());
    setIsSending(false);
  };
  return (
    <details>
      <summary>I run this server</summary>
      <form onSubmit={send}>
        <PasswordInput
          label="Operator key"
          description="Made with: latchkey admin-key create"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <Group mt="sm">
          <Button type="submit" variant="default" loading={isSending} disabled={key.trim() === ''}>
            Sign in as operator
          </Button>
        </Group>
      </form>
    </details>
  );
}
