import { Button, type ButtonProps } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useState } from 'react';
import { t } from '../messages/index.ts';
import { Dialog } from './dialog.tsx';
import { Form, type Submission } from './form.tsx';

interface Question {
  title: string;
  /** What happens, in the words of the button: "Revoke key", never "OK". */
  yes: string;
  isDangerous?: boolean;
  /** False until what it takes is given, such as a word to type. */
  canSubmit?: boolean;
  action?: Submission & { reset?(): void };
  /** The dialog closes when the promise is fulfilled, and shows the action's error if it is rejected. */
  onYes(): Promise<unknown> | undefined;
  children?: ReactNode;
}

/** Asks before something that cannot simply be undone. */
export function ConfirmDialog({
  isOpen = true,
  title,
  yes,
  isDangerous = false,
  canSubmit = true,
  action,
  onYes,
  onClose,
  children,
}: Question & { isOpen?: boolean; onClose(): void }) {
  const close = () => {
    if (action?.error) action.reset?.();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title={title} onClose={close}>
      <Form
        submit={yes}
        isDangerous={isDangerous}
        canSubmit={canSubmit}
        action={action}
        onSubmit={() => void onYes()?.then(onClose, () => undefined)}
        onCancel={close}
      >
        {children}
      </Form>
    </Dialog>
  );
}

/** A button that asks before it acts. */
export function ConfirmButton({
  label,
  look,
  ...question
}: Question & { label: ReactNode; look?: ButtonProps & { 'aria-label'?: string } }) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button variant="default" {...look} onClick={() => setIsAsking(true)}>
        {label}
      </Button>
      <ConfirmDialog {...question} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </>
  );
}

/** Asks before a page with unsaved changes is left. The question is put at the moment of leaving, so it reads a ref. */
export function UnsavedChanges({ hasUnsaved, children }: { hasUnsaved: RefObject<boolean>; children: ReactNode }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => hasUnsaved.current,
    enableBeforeUnload: () => hasUnsaved.current,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={status === 'blocked'}
      title={t('unsaved.title')}
      yes={t('unsaved.leave')}
      isDangerous
      onYes={() => {
        proceed?.();
        return undefined;
      }}
      onClose={() => reset?.()}
    >
      {children}
    </ConfirmDialog>
  );
}
