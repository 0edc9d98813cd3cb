import type { SignedOutPage as Page } from '@latchkey/kernel';
import { useEffect, useState } from 'react';
import { t } from '../messages/index.ts';

/** An application that does not respond keeps nobody here for longer. */
const patienceMs = 5_000;

/** Signs the browser out of its applications: each clears its own session in a frame. Then it continues. */
export function SignedOutPage({ data: { frames, next } }: { data: Page }) {
  const [waiting, setWaiting] = useState(frames);
  useEffect(() => {
    const timer = setTimeout(() => setWaiting([]), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (waiting.length === 0) location.replace(next);
  }, [waiting, next]);
  return (
    <section className="card">
      <h1>{t('logout.apps')}</h1>
      <p>
        <a href={next}>{t('roles.backTo', { platform: new URL(next).host })}</a>
      </p>
      {frames.map((address) => (
        <iframe
          key={address}
          hidden
          title={new URL(address).host}
          src={address}
          onLoad={() => setWaiting((all) => all.filter((one) => one !== address))}
        />
      ))}
    </section>
  );
}
