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
import { t } from '../messages/index.ts';

type Passkey = ItemOf<'GET /webauthn/credentials'>;
const list = 'GET /webauthn/credentials';

export function Passkeys() {
  const passkeys = usePages(list, {});
  const [isAdding, setIsAdding] = useState(false);
  const [renaming, setRenaming] = useState<Passkey>();
  const remove = useAction('DELETE /webauthn/credentials/{id}', { done: t('passkeys.deleted'), changes: [list] });
  return (
    <Section
      title={t('passkeys.title')}
      lead={t('passkeys.lead')}
      actions={
        knowsPasskeys() && (
          <Button variant="default" onClick={() => setIsAdding(true)}>
            {t('passkeys.add')}
          </Button>
        )
      }
    >
      <PagedList
        pages={passkeys}
        loading={t('passkeys.loading')}
        more={t('passkeys.more')}
        keyOf={({ id = '' }) => id}
        empty={<EmptyState title={t('passkeys.none')}>{t('passkeys.noneHow')}</EmptyState>}
      >
        {({ name = '', ...passkey }) => (
          <Row
            title={name}
            states={passkey.suspicious === true && <State tone="bad">{t('passkeys.blocked')}</State>}
            note={t.rich('passkeys.added', { time: <Time key="time" at={passkey.createdTime ?? ''} /> })}
            actions={
              <>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('passkeys.renameOne', { name })}
                  onClick={() => setRenaming({ name, ...passkey })}
                >
                  {t('common.rename')}
                </Button>
                <ConfirmButton
                  label={t('common.delete')}
                  look={{ size: 'compact-sm', 'aria-label': t('passkeys.deleteOne', { name }) }}
                  title={t('passkeys.deleteTitle', { name })}
                  yes={t('passkeys.deleteYes')}
                  isDangerous
                  action={remove}
                  onYes={() => remove.runAsync({ id: passkey.id ?? '' })}
                >
                  <p>{t('passkeys.deleteAbout')}</p>
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
      title={t('passkeys.add')}
      yes={t('passkeys.addYes')}
      first={t('passkeys.firstName')}
      action={{ isRunning, error }}
      onName={(name) => void add(name)}
      onClose={onClose}
    />
  );
}

function RenameDialog({ passkey: { id = '', name = '' }, onClose }: { passkey: Passkey; onClose(): void }) {
  const rename = useAction('PATCH /webauthn/credentials/{id}', {
    done: t('passkeys.renamed'),
    changes: [list],
    onDone: onClose,
  });
  return (
    <NameDialog
      title={t('passkeys.renameOne', { name })}
      yes={t('passkeys.renameYes')}
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
        <TextInput label={t('passkeys.name')} required maxLength={100} {...form.text('name')} />
      </Form>
    </Dialog>
  );
}
