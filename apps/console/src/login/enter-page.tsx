import type { EnterPage as Page } from '@latchkey/kernel';
import { Name } from '../parts/name.tsx';

/** Signs in at a click and never by itself: programs that only look at links may run scripts too. */
export function EnterPage({ data: { action, server, name } }: { data: Page }) {
  return (
    <section className="card">
      <h1>
        Sign in to <bdi>{server}</bdi>
      </h1>
      <p>
        You will be signed in as <Name>{name}</Name> in this browser. The link works once.
      </p>
      <form method="post" action={action} className="actions">
        <button type="submit">Sign in</button>
      </form>
    </section>
  );
}
