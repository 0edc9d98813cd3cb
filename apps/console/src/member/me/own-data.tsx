import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ask, useAction } from '../../shared/api/index.ts';
import { openAnew } from '../../shared/open-anew.ts';
import { ConfirmDialog, Failure, Row, Section } from '../../shared/ui/index.ts';

const word = 'erase';

/** Taking everything along, and leaving for good. */
export function OwnData() {
  return (
    <Section title="Your data">
      <Export />
      <Erase />
    </Section>
  );
}

function Export() {
  const [error, setError] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const save = async () => {
    setIsRunning(true);
    setError(undefined);
    try {
      const data = await ask('GET /latchkey/account/export', {});
      saveFile('latchkey-my-data.json', JSON.stringify(data, null, 2));
    } catch (problem) {
      setError(problem);
    }
    setIsRunning(false);
  };
  return (
    <>
      <Row
        title="Export"
        note="Everything stored about you, in one JSON file. Secrets such as keys are left out."
        actions={
          <Button variant="default" loading={isRunning} onClick={() => void save()}>
            Download my data
          </Button>
        }
      />
      <Failure error={error} />
    </>
  );
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

function Erase() {
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const erase = useAction('DELETE /latchkey/account', { onDone: openAnew });
  const isMeant = typed.trim().toLowerCase() === word;
  return (
    <>
      <Row
        title="Erase my account"
        note="Deletes your wallets, passkeys, sessions and roles for good. Communities you own pass to another admin."
        actions={
          <Button variant="light" color="red" onClick={() => setIsOpen(true)}>
            Erase my account
          </Button>
        }
      />
      <ConfirmDialog
        isOpen={isOpen}
        title="Erase your account?"
        yes="Erase my account"
        isDangerous
        isRunning={erase.isRunning}
        error={erase.error}
        onYes={() => isMeant && erase.run({})}
        onNo={() => {
          setIsOpen(false);
          setTyped('');
          erase.reset();
        }}
      >
        <p>
          This cannot be undone. Roles that depend on your wallets are removed. Your organizations are deleted with
          their wallets, and your hosted wallet with its key. Move what they hold first.
        </p>
        <TextInput
          label={`Type ${word} to continue`}
          value={typed}
          autoComplete="off"
          error={typed !== '' && !isMeant && `Type the word ${word}.`}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </ConfirmDialog>
    </>
  );
}
