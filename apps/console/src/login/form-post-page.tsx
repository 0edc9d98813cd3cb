import type { FormPostPage as Page } from '@latchkey/kernel';
import { useEffect, useRef } from 'react';
import { t } from '../messages/index.ts';

/** Returns to an application with a form, which it submits by itself. */
export function FormPostPage({ data: { client, action, fields } }: { data: Page }) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.submit(), []);
  return (
    <section className="card">
      <h1>{t('login.title', { name: client })}</h1>
      <form ref={form} method="post" action={action} className="actions">
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{t('roles.backTo', { platform: new URL(action).host })}</button>
      </form>
    </section>
  );
}
