import { Modal } from '@mantine/core';
import { SignIn } from './sign-in.tsx';

/** The session has ended while somebody was at work: they sign in again over the page, which stays as it is. */
export function SignedOutNotice() {
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title="Your session is over" data-dialog-open>
      <p>Sign in again to go on. What you have typed is still there.</p>
      <SignIn />
    </Modal>
  );
}
