import { Modal } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import { PresenceContext } from '../shared/api/index.ts';
import { SignIn } from './sign-in.tsx';

/** Asks for a fresh sign-in when the server wants one, over the page, and lets what asked for it go on. */
export function PresenceProvider({ children }: { children: ReactNode }) {
  const [asking, setAsking] = useState<(did: boolean) => void>();
  const confirm = useCallback(() => new Promise<boolean>((resolve) => setAsking(() => resolve)), []);
  const end = (did: boolean) => {
    asking?.(did);
    setAsking(undefined);
  };
  return (
    <PresenceContext value={confirm}>
      {children}
      <Modal
        opened={asking !== undefined}
        onClose={() => end(false)}
        title="Is it you?"
        data-dialog-open={asking !== undefined || undefined}
      >
        <p>This changes who has power here, so sign in again first. Then it goes on by itself.</p>
        <SignIn onDone={() => end(true)} />
      </Modal>
    </PresenceContext>
  );
}
