import type { ReactNode } from 'react';
import mark from '../mark.svg';

/** The frame of all pages. Pages with one question are narrow, like a dialog. */
export function Shell({ isNarrow, children }: { isNarrow: boolean; children: ReactNode }) {
  return (
    <div className={isNarrow ? 'frame narrow' : 'frame'}>
      <header className="top">
        <img src={mark} alt="" width="32" height="32" />
        <span>Latchkey</span>
      </header>
      <main>{children}</main>
      <footer>
        Latchkey never asks for a recovery phrase, a private key or a payment. Anyone who does is trying to steal from
        you.
      </footer>
    </div>
  );
}
