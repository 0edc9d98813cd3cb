import { ApiError } from '@latchkey/client';
import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { knowsPasskeys, registerPasskey } from '../../passkeys/ceremonies.ts';
import { call, type ItemOf, useAction, usePages, usePresence } from '../../shared/api/index.ts';
import {
  ConfirmButton,
  Dialog,
  EmptyState,
  Form,
  PagedList,
  Row,
  Section,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';

type Passkey = ItemOf<'GET /webauthn/credentials'>;
const list = 'GET /webauthn/credentials';

export function Passkeys() {
  const passkeys = usePages(list, {});
  const [isAdding, setIsAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey>();
  const remove = useAction('DELETE /webauthn/credentials/{id}', { done: 'Passkey deleted.', changes: [list] });
  return (
    <Section
      title="Passkeys"
      lead="Sign in by fingerprint, face or PIN, without a wallet. This server keeps only the public half."
      actions={
        knowsPasskeys() && (
          <Button variant="default" onClick={() => setIsAdding(true)}>
            Add a passkey
          </Button>
        )
      }
    >
      <PagedList
        pages={passkeys}
        what="passkeys"
        keyOf={({ id = '' }) => id}
        empty={<EmptyState title="No passkeys yet">With one you sign in from any device that has it.</EmptyState>}
      >
        {(passkey) => (
          <Row
            title={passkey.name}
            states={passkey.suspicious === true && <State tone="bad">Blocked: it may have been copied</State>}
            note={
              <>
                added <Time at={passkey.createdTime ?? ''} />
              </>
            }
            actions={
              <>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Rename ${passkey.name}`}
                  onClick={() => setRenaming(passkey)}
                >
                  Rename
                </Button>
                <ConfirmButton
                  label="Delete"
                  look={{ size: 'compact-sm', 'aria-label': `Delete ${passkey.name}` }}
                  title={`Delete ${passkey.name}?`}
                  yes="Delete passkey"
                  isDangerous
                  action={remove}
                  onYes={() => remove.runAsync({ id: passkey.id ?? '' })}
                >
                  <p>It can no longer be used to sign in. Your device may still show it; delete it there too.</p>
                </ConfirmButton>
              </>
            }
          />
        )}
      </PagedList>
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} />}
      {renaming && <RenameDialog passkey={renaming} onClose={() => setRenaming(undefined)} />}
    </Section>
  );
}

function AddDialog({ onClose }: { onClose(): void }) {
  const queries = useQueryClient();
  const confirmPresence = usePresence();
  const [error, setError] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const add = async (name: string) => {
    setError(undefined);
    setIsRunning(true);
    try {
      await registerPasskey(call, name).catch(async (problem: unknown) => {
        if (!(problem instanceof ApiError) || problem.code !== 'PRESENCE_REQUIRED') throw problem;
        if (!(await confirmPresence())) throw problem;
        await registerPasskey(call, name);
      });
      await queries.invalidateQueries({ queryKey: [list] });
      onClose();
    } catch (problem) {
      setError(problem);
    }
    setIsRunning(false);
  };
  return (
    <NameDialog
      title="Add a passkey"
      yes="Add passkey"
      first="This device"
      action={{ isRunning, error }}
      onName={(name) => void add(name)}
      onClose={onClose}
    />
  );
}

function RenameDialog({ passkey: { id = '', name = '' }, onClose }: { passkey: Passkey; onClose(): void }) {
  const rename = useAction('PATCH /webauthn/credentials/{id}', {
    done: 'Passkey renamed.',
    changes: [list],
    onDone: onClose,
  });
  return (
    <NameDialog
      title={`Rename ${name}`}
      yes="Save name"
      first={name}
      action={rename}
      onName={(wanted) => rename.run({ id, body: { name: wanted } })}
      onClose={onClose}
    />
  );
}

interface NameDialogProps {
  title: string;
  yes: string;
  first: string;
  action: { isRunning: boolean; error: unknown };
  onName(name: string): void;
  onClose(): void;
}

function NameDialog({ title, yes, first, action, onName, onClose }: NameDialogProps) {
  const form = useForm({ name: first }, action.error);
  const name = form.values.name.trim();
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={yes} action={action} canSubmit={name !== ''} onSubmit={() => onName(name)} onCancel={onClose}>
        <TextInput label="Name" required maxLength={100} {...form.text('name')} />
      </Form>
    </Dialog>
  );
}
