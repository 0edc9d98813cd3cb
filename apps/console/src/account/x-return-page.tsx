import type { XReturnPage as Page } from '@latchkey/kernel';
import { useEffect, useState } from 'react';
import { t } from '../messages/index.ts';
import { handOn } from './x-channel.ts';

/** How long the tab with the account may take to respond before this one says that there is none. */
const patienceMs = 3_000;

/** The page that X redirects to. The tab with the account takes over, and this one closes. */
export function XReturnPage({ data: { returned } }: { data: Page }) {
  const [met, setMet] = useState<'waiting' | 'account page' | 'none'>(returned ? 'waiting' : 'none');
  useEffect(() => {
    // The code can be used once and must not stay in the history.
    history.replaceState(null, '', '/account/x');
    if (returned === undefined) return undefined;
    const timer = setTimeout(() => setMet('none'), patienceMs);
    const stop = handOn(returned, () => {
      clearTimeout(timer);
      setMet('account page');
      window.close();
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [returned]);
  return (
    <section className="card">
      <h1>{met === 'none' ? t('xReturn.nothing') : t('xReturn.back')}</h1>
      {met === 'none' ? (
        <p>
          {t.rich('xReturn.gone', {
            link: (
              <a key="link" href="/console/me">
                {t('xReturn.account')}
              </a>
            ),
          })}
        </p>
      ) : (
        <p>{t('xReturn.close')}</p>
      )}
    </section>
  );
}
