import { CloseButton, MantineThemeProvider, Portal, Stack } from '@mantine/core';
import { type MouseEvent, type ReactNode, useId, useMemo } from 'react';
import { ModalDialog } from '../../parts/dialog.tsx';
import { t } from '../messages/index.ts';
import styles from './dialog.module.css';

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
                    aria-label={t('common.close')}
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
