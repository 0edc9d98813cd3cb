import type { ReactNode } from 'react';
import mark from '../mark.svg';

/** What all pages have around them. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <>
      <header className="top">
        <img src={mark} alt="" width="32" height="32" />
        <span>Latchkey</span>
      </header>
      <main>{children}</main>
      <footer>
        Nobody here will ever ask you for a recovery phrase or a private key, or to send anything. Whoever does is not
        us.
      </footer>
    </>
  );
}
