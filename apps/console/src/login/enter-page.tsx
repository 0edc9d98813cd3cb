import type { EnterPage as Page } from '@latchkey/kernel';
import { t } from '../messages/index.ts';
import { Name } from '../parts/name.tsx';

/** Signs in at a click and never by itself: programs that only look at links may run scripts too. */
export function EnterPage({ data: { action, server, name } }: { data: Page }) {
  return (
    <section className="card">
      <h1>{t.rich('login.title', { name: <bdi key="name">{server}</bdi> })}</h1>
      <p>{t.rich('enter.asWhom', { name: <Name key="name">{name}</Name> })}</p>
      <form method="post" action={action} className="actions">
        <button type="submit">{t('enter.button')}</button>
      </form>
    </section>
  );
}
