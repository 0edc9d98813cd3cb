import type { LogoutPage as Page } from '@latchkey/kernel';
import { Name } from '../parts/name.tsx';

/** Asks before a browser is logged out: any page could have sent the person here. */
export function LogoutPage({ data: { action, proof, client } }: { data: Page }) {
  return (
    <section className="card">
      <h1>Sign out?</h1>
      <p>
        {client === undefined ? (
          'You are about to sign out'
        ) : (
          <>
            <Name>{client}</Name> asks to sign you out
          </>
        )}{' '}
        of this server in this browser. Apps that you are signed in to may keep their own sessions.
      </p>
      <form method="post" action={action} className="actions">
        <input type="hidden" name="xsrf" value={proof} />
        <button type="submit" name="logout" value="yes">
          Sign out
        </button>
        <button type="submit" className="quiet">
          Stay signed in
        </button>
      </form>
    </section>
  );
}
