import type { ReactNode } from 'react';
import mark from '../mark.svg';
import { t } from '../messages/index.ts';
import { LanguageChoice } from './language-choice.tsx';

/** The frame of all pages. Pages with one question are narrow, like a dialog. */
export function Shell({
  isNarrow,
  canChooseLanguage,
  children,
}: {
  isNarrow: boolean;
  /** Not where the page cannot be loaded again. */
  canChooseLanguage: boolean;
  children: ReactNode;
}) {
  return (
    <div className={isNarrow ? 'frame narrow' : 'frame'}>
      <header className="top">
        <img src={mark} alt="" width="32" height="32" />
        <span>Latchkey</span>
      </header>
      <main>{children}</main>
      <footer>
        <p>{t('footer.safety')}</p>
        {canChooseLanguage && <LanguageChoice />}
      </footer>
    </div>
  );
}
