'use client';
import { Gate, HolderProvider, LoginButton } from '@latchkey/gate/react';

export default function Page() {
  return (
    <HolderProvider url="/api/holder">
      <LoginButton href="/login" />
      <Gate denied="You need a pass." unknown="Your wallets could not be checked. Try again." loading="…">
        <a href="/members">For members</a>
      </Gate>
    </HolderProvider>
  );
}
