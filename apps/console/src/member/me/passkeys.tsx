import { ApiError } from '@latchkey/client';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { knowsPasskeys, registerPasskey } from '../../passkeys/ceremonies.ts';
import { call, type ItemOf, useAction, usePages, usePresence } from '../../shared/api/index.ts';
import { ConfirmDialog, EmptyState, Failure, PagedList, Row, Section, State, Time } from '../../shared/ui/index.ts';

type Passkey = ItemOf<'GET /webauthn/credentials'>;
const list = 'GET /webauthn/credentials';

export function Passkeys() {
  const passkeys = usePages(list, {});
  const [isAdding, setIsAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey>();
  const [leaving, setLeaving] = useState<Passkey>();
  const remove = useAction('DELETE /webauthn/credentials/{id}', {
    changes: [list],
    onDone: () => setLeaving(undefined),
  });
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
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Delete ${passkey.name}`}
                  onClick={() => setLeaving(passkey)}
                >
                  Delete
                </Button>
              </>
            }
          />
        )}
      </PagedList>
      {isAdding && <AddDialog onClose={() => setIsAdding(false)} />}
      {renaming && <RenameDialog passkey={renaming} onClose={() => setRenaming(undefined)} />}
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title={`Delete ${leaving?.name ?? 'this passkey'}?`}
        yes="Delete passkey"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => leaving && remove.run({ id: leaving.id ?? '' })}
        onNo={() => {
          setLeaving(undefined);
          remove.reset();
        }}
      >
        <p>It can no longer be used to sign in. Your device may go on showing it; delete it there too.</p>
      </ConfirmDialog>
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
      {...{ isRunning, error, onClose }}
      onName={add}
    />
  );
}

function RenameDialog({ passkey: { id = '', name = '' }, onClose }: { passkey: Passkey; onClose(): void }) {
  const rename = useAction('PATCH /webauthn/credentials/{id}', { changes: [list], onDone: onClose });
  return (
    <NameDialog
      title={`Rename ${name}`}
      yes="Save name"
      first={name}
      isRunning={rename.isRunning}
      error={rename.error}
      onName={(wanted) => rename.run({ id, body: { name: wanted } })}
      onClose={onClose}
    />
  );
}

interface NameDialogProps {
  title: string;
  yes: string;
  first: string;
  isRunning: boolean;
  error: unknown;
  onName(name: string): void;
  onClose(): void;
}

function NameDialog({ title, yes, first, isRunning, error, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(first);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onName(name.trim());
  };
  return (
    <Modal opened onClose={onClose} title={title} data-dialog-open>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Failure error={error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isRunning} disabled={name.trim() === ''}>
              {yes}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
