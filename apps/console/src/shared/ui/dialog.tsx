import { Button, type ButtonProps, CloseButton, MantineThemeProvider, Portal, Stack } from '@mantine/core';
import { type MouseEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { ModalDialog } from '../../parts/dialog.tsx';
import styles from './dialog.module.css';
import { Form, type Submission } from './form.tsx';

interface DialogProps {
  isOpen?: boolean;
  title: string;
  size?: 'medium' | 'large';
  /** Without it, the user cannot close the dialog. */
  onClose?: () => void;
  children: ReactNode;
}

/** A modal dialog over the page. It usually contains a `Form`. */
export function Dialog({ isOpen = true, title, size = 'medium', onClose, children }: DialogProps) {
  const portalId = useId();
  // Everything outside of a modal dialog is inert, so dropdowns of its fields have to open inside.
  const theme = useMemo(
    () => ({ components: { Portal: { defaultProps: { target: `#${CSS.escape(portalId)}` } } } }),
    [portalId],
  );
  if (!isOpen) return null;
  const closeOutside = ({ target, currentTarget, clientX }: MouseEvent<HTMLDialogElement>) => {
    const isOnScrollbar = clientX >= currentTarget.clientWidth;
    if (target === currentTarget && !isOnScrollbar && onClose !== undefined) currentTarget.close();
  };
  return (
    <Portal>
      <ModalDialog title={title} onClose={onClose} className={styles.dialog} onMouseDown={closeOutside}>
        {(heading) => (
          <MantineThemeProvider theme={theme}>
            <div className={`${styles.card} ${size === 'large' ? styles.large : ''}`}>
              <header className={styles.head}>
                {heading}
                {onClose !== undefined && (
                  <CloseButton
                    aria-label="Close"
                    onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}
                  />
                )}
              </header>
              <Stack gap="md">{children}</Stack>
            </div>
            <div id={portalId} />
          </MantineThemeProvider>
        )}
      </ModalDialog>
    </Portal>
  );
}

interface Question {
  title: string;
  /** What happens, as the button's text: "Revoke key", never "OK". */
  yes: string;
  isDangerous?: boolean;
  action?: Submission & { reset?(): void };
  /** The dialog closes when the promise is fulfilled, and shows the action's error if it is rejected. */
  onYes(): Promise<unknown> | undefined;
  children?: ReactNode;
}

/** Asks for confirmation before something that cannot easily be undone. */
export function ConfirmDialog({
  isOpen = true,
  title,
  yes,
  isDangerous = false,
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
        action={action}
        onSubmit={() => void onYes()?.then(onClose, () => undefined)}
        onCancel={close}
      >
        {children}
      </Form>
    </Dialog>
  );
}

/** A button that asks for confirmation before it acts. */
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
